#include <stdio.h>
#include "measure.h"
#include "section8.h"
int main(void){
  for(int m=0;m<2;m++) for(int n=0;n<=30;n+=(n<10?1:5)){
    lb_chain_count c=lb_measure_middle(n,m?LB_MODES_CANTILEVER:LB_MODES_FREE_FREE,0);
    lb_cost p=lb_section8_articulated(n);
    lb_cost e=lb_cost_add(lb_section8_explicit(n),lb_section8_forces(n));
    lb_count s=c.articulated.part[0], i=c.articulated_inertia.part[0];
    printf("n %2d ours M %ld A %ld D %ld F %ld (63: %ld %ld) paper %.0f %.0f explicit %.0f %.0f | kin %ld %ld D %ld defo %ld %ld | inv %ld %ld\n",n,s.multiplications,s.additions,s.divisions,s.functions,i.multiplications,i.additions,p.multiplications,p.additions,e.multiplications,e.additions,
    c.articulated.part[1].multiplications,c.articulated.part[1].additions,c.articulated.part[1].divisions,c.articulated.part[2].multiplications,c.articulated.part[2].additions,c.inverse.total.multiplications,c.inverse.total.additions);
  }
}
