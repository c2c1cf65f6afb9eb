#!/bin/sh
# SPDX-FileCopyrightText: The Limber authors
# SPDX-License-Identifier: Apache-2.0
#
# make.sh LIMBER [NAME...]: the gallery, made by the project's own commands: a run, a picture, a plot and a page for
# every model in examples/, or for those named.
#
# make.sh LIMBER --live FOLDER [NAME...]: only the interactive pages of the same runs, FOLDER/NAME.html. They are too
# large to be kept with the sources. Pages that are newer than their model and LIMBER stay as they are.
set -eu
export LC_ALL=C.UTF-8
limber=$1
shift
live=""
if [ "${1:-}" = --live ]; then
    live=$2
    shift 2
    mkdir -p "$live"
fi
here=docs/gallery
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# what is worth a plot, and the moment of the picture; "" for the defaults
settings() {
    signals="" moment="" options=""
    case $1 in
    spacecraft_arm) signals="payload.position.y panel/a6.velocity.norm" moment=7 ;;
    arm) signals="waist.angle forearm.angle hand.angle" moment=1.3 ;;
    babyboot) signals="rod.angle plate.angle" ;;
    boom) signals="boom.eta.0 camera.angle" moment=1.5 ;;
    double_pendulum) signals="upper.angle lower.angle" moment=4 ;;
    iiwa) signals="link2.angle link4.angle link6.angle" moment=1.6 ;;
    camera_boom) signals="boom.angle boom/tip.position.z" moment=0.3 ;;
    cantilever) signals="beam/tip.position.y" moment=0.008 ;;
    coupled_pendulums) signals="left.angle right.angle" moment=3 ;;
    bend45) signals="s15/tip.position.x s15/tip.position.y s15/tip.position.z" moment=12 ;;
    rotating_blade) signals="blade.rate blade/tip.position.x blade/tip.position.y" moment=2.5 ;;
    tree) moment=0.4 ;;
    truss) signals="truss/antenna.position.z" moment=0.05 ;;
    whirl) signals="mass.position.x mass.position.y" moment=5 ;;
    inverted_pendulum) signals="cart.distance pole.angle" moment=0.3 ;;
    hinged_cubes) signals="link2.angle link3.angle" moment=0.02 ;;
    satellite) signals="root_bending root_edgewise bus.angular_velocity.z" moment=30 ;;
    elastic_bar) signals="kinetic potential" options="--deformation 20" ;;
    spin_up | spin_up_pieces) signals="kinetic potential" moment=8 ;;
    two_link_arm) signals="link2/tip.position.x link2/tip.position.y" moment=0.35 ;;
    andrews) signals="kinetic potential" moment=0.01 ;;
    governor) signals="sleeve.distance" moment=0.3 ;;
    stiff_governor | stiff_governor_rods) signals="slider.distance" moment=1.1 ;;
    spatial_slider_crank) signals="slider.distance" moment=1 ;;
    catch) signals="payload.position.x payload.position.y" moment=6 ;;
    handover) signals="box.position.x lid.angle loop/grip.force.norm" moment=5.5 ;;
    flexible_slider_crank | flexible_four_bar | slider_crank | four_bar) signals="kinetic potential" ;;
    controlled_arm) signals="shoulder.angle elbow.angle forearm.eta.0" moment=0.4 ;;
    payload_arm) signals="error_known error_unaware" moment=2.5 ;;
    humanoid) moment=0.6 signals="kinetic potential" ;;
    esac
}

# run_model NAME FILE: the run, $run, and the options of later commands
run_model() {
    name=$1 file=$2
    # the page shows its name
    run=$work/$name.h5
    duration="" from=""
    # a library beside the model is not in the results
    if grep -q '^library: *[a-z]' "$file"; then
        from="--model $file"
    fi
    [ "$name" = humanoid ] && duration="--duration 2"
    # shellcheck disable=SC2086
    "$limber" run "$file" -o "$run" --quiet $duration 2>"$work/said" ||
        { cat "$work/said"; echo "gallery: $name: the run failed"; return 1; }
    settings "$name"
    if [ -z "$signals" ]; then
        signals="kinetic potential"
    fi
}

# live_page NAME FILE: the interactive page
live_page() {
    if [ -n "$(find "$live/$1.html" -newer "$2" -newer "$limber" 2>/dev/null)" ]; then
        return
    fi
    run_model "$1" "$2"
    # shellcheck disable=SC2086
    "$limber" view "$run" $signals -o "$live/$name.html" --no-open $from >/dev/null
    echo "gallery: $live/$name.html"
}

# page NAME FILE: everything for one model
page() {
    run_model "$1" "$2"
    if [ -z "$moment" ]; then
        moment=$("$limber" results "$run" | awk '$1 == "time" && $3 == "s" {print 0.6 * $2}')
    fi
    # shellcheck disable=SC2086
    "$limber" render "$run" -o "$here/images/$name.png" --to "$moment" --size 480x300 $options $from
    # shellcheck disable=SC2086
    "$limber" plot "$run" $signals -o "$here/images/$name-plot.png" --dpi 110 $from
    if [ "$name" = spacecraft_arm ]; then
        # for the README
        "$limber" render "$run" -o "$here/images/$name.gif" --size 480x300 --fps 12 --speed 2
    fi
    title=$("$limber" info --json "$file" | sed -n 's/^ *"name": "\(.*\)",*$/\1/p' | head -n 1)
    {
        echo "<!-- written by \`make gallery\` -->"
        echo "# ${title:-$name}"
        echo
        # the comment that the model begins with, without the line for editors
        awk '/^# yaml-language-server/ {next} /^#/ {sub(/^# ?/, ""); print; next} {exit}' "$file"
        echo
        echo "![${title:-$name}](images/$name.png)"
        echo
        echo "![signals](images/$name-plot.png)"
        echo
        echo '```text'
        "$limber" info "$file" | cut -c 1-130
        echo '```'
        echo
        echo "Made by"
        echo
        echo '```sh'
        echo "limber run $file -o run.h5 $duration" | sed 's/ *$//'
        echo "limber render run.h5 -o $name.png --to $moment $options $from" | sed 's/ *$//'
        echo "limber plot run.h5 $signals -o $name-plot.png $from" | sed 's/ *$//'
        echo '```'
        echo
        echo "[\`$file\`](../../$file)"
    } >"$here/$name.md"
    echo "gallery: $name"
}

for file in examples/*.yaml bench/models/humanoid.urdf; do
    name=$(basename "$file")
    name=${name%.*}
    if [ $# -gt 0 ]; then
        case " $* " in *" $name "*) ;; *) continue ;; esac
    fi
    if [ -n "$live" ]; then
        live_page "$name" "$file"
    else
        page "$name" "$file"
    fi
done
if [ -n "$live" ]; then
    exit
fi

# the first page: all that have one
{
    echo "<!-- written by \`make gallery\` -->"
    echo "# Gallery"
    echo
    echo "Every model in \`examples\`, drawn by \`limber render\`, plotted by \`limber plot\`. Click a picture. See also"
    echo "[the viewer in pictures](screens.md)."
    echo
    echo '| | | |'
    echo '| --- | --- | --- |'
    for md in "$here"/*.md; do
        name=$(basename "$md" .md)
        case $name in index | screens) continue ;; esac
        title=$(sed -n 's/^# //p' "$md" | head -n 1)
        printf '[![%s](images/%s.png)](%s.md) [%s](%s.md)\n' "$title" "$name" "$name" "$title" "$name"
    done | awk '{row = row "| " $0 " "; if (NR % 3 == 0) {print row "|"; row = ""}} END {if (row) {while (NR++ % 3) row = row "| "; print row "|"}}'
    echo
    echo '```{toctree}'
    echo ':hidden:'
    echo
    for md in "$here"/*.md; do
        basename "$md" .md
    done | grep -v '^index$'
    echo '```'
} >"$here/index.md"
