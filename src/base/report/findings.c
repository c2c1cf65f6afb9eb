// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
#include "base/report/findings.h"

#include <stdio.h>
#include <string.h>

enum { HASH_START = 1469598103 };

// FNV-1a; numbers and what is in quotes do not tell kinds apart.
static uint64_t add_words(uint64_t hash, const char *text)
{
    bool is_quoted = false;
    for (; text && *text; ++text) {
        is_quoted ^= *text == '"';
        if (!is_quoted && !(*text >= '0' && *text <= '9')) {
            hash = (hash ^ (unsigned char)*text) * 1099511628211u;
        }
    }
    return hash;
}

static struct lb_finding_kind *find_kind(lb_findings *t, uint64_t key)
{
    int i = 0;
    while (i < t->kind_count && t->kinds[i].key != key) {
        ++i;
    }
    if (i < LB_FINDINGS_KINDS - 1 && i == t->kind_count) {
        t->kinds[t->kind_count++] = (struct lb_finding_kind){.key = key};
    } else if (i == t->kind_count) {
        ++t->kind_count;
        t->kinds[i] = (struct lb_finding_kind){.key = 0};
    }
    return &t->kinds[i < LB_FINDINGS_KINDS ? i : LB_FINDINGS_KINDS - 1];
}

static void hear(void *user, const lb_diagnostic *diagnostic)
{
    lb_findings *t = user;
    struct lb_finding_kind *kind = t->open;
    t->open = NULL;
    if (!kind) {
        uint64_t key = HASH_START + (uint64_t)diagnostic->severity;
        key = add_words(add_words(key, diagnostic->path), diagnostic->message);
        kind = find_kind(t, key);
        ++kind->count;
    }
    if (kind->count > LB_FINDINGS_MOST) {
        return;
    }
    if (kind->count == LB_FINDINGS_MOST) {
        kind->severity = diagnostic->severity;
        kind->line = diagnostic->line;
        kind->column = diagnostic->column;
        snprintf(kind->file, sizeof kind->file, "%s", diagnostic->file ? diagnostic->file : "");
        snprintf(kind->path, sizeof kind->path, "%s", diagnostic->path ? diagnostic->path : "");
        snprintf(kind->message, sizeof kind->message, "%s", diagnostic->message);
    }
    t->next.emit(t->next.user, diagnostic);
}

lb_report lb_start_findings(lb_findings *findings, const lb_report *report)
{
    findings->kind_count = 0;
    findings->open = NULL;
    findings->next = report ? *report : (lb_report){NULL, NULL};
    findings->is_counted = !findings->next.emit || findings->next.emit == hear;
    return findings->is_counted ? findings->next : (lb_report){hear, findings};
}

void lb_end_findings(lb_findings *findings)
{
    for (int i = 0; i < findings->kind_count && !findings->is_counted; ++i) {
        const struct lb_finding_kind *kind = &findings->kinds[i];
        if (kind->count <= LB_FINDINGS_MOST) {
            continue;
        }
        char message[300];
        snprintf(message, sizeof message, "%zu more of this kind are not listed: %s",
                 kind->count - LB_FINDINGS_MOST, kind->message);
        const lb_diagnostic diagnostic = {.size = sizeof diagnostic,
                                          .severity = kind->severity,
                                          .file = kind->file[0] ? kind->file : NULL,
                                          .line = kind->line,
                                          .column = kind->column,
                                          .path = kind->path,
                                          .message = message};
        findings->next.emit(findings->next.user, &diagnostic);
    }
    findings->kind_count = 0;
}

bool lb_is_reported(const lb_report *report, const char *format, const char *key)
{
    if (report->emit != hear) {
        return report->emit != NULL;
    }
    lb_findings *t = report->user;
    t->open = find_kind(t, add_words((HASH_START ^ (uint64_t)(uintptr_t)format) * 31, key));
    ++t->open->count;
    if (t->open->count > LB_FINDINGS_MOST) {
        t->open = NULL;
        return false;
    }
    return true;
}
