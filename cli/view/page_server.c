// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// One page, served to browsers on this machine. Only the loopback interface is listened on, and only
// requests that name it are answered, so that no other site can have a browser fetch the page.
#define _POSIX_C_SOURCE 200809L
#include "view/page_server.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include "console.h"

static volatile sig_atomic_t stopped;

static void stop(int signal_number)
{
    (void)signal_number;
    stopped = 1;
}

static bool send_all(int client, const char *text, size_t size)
{
    while (size > 0 && !stopped) {
        const ssize_t sent = send(client, text, size, MSG_NOSIGNAL);
        if (sent <= 0) {
            return false;
        }
        text += sent;
        size -= (size_t)sent;
    }
    return true;
}

// Whether the request's Host is this machine.
static bool names_loopback(const char *request)
{
    for (const char *line = strchr(request, '\n'); line; line = strchr(line, '\n')) {
        ++line;
        if (strncasecmp(line, "Host:", 5) == 0) {
            line += 5 + strspn(line + 5, " \t");
            const size_t length = strcspn(line, ":\r\n");
            return (length == 9 && strncasecmp(line, "localhost", 9) == 0) ||
                   (length == 9 && strncmp(line, "127.0.0.1", 9) == 0);
        }
    }
    return false;
}

static void answer(int client, const char *text, size_t size)
{
    char request[8192], head[256];
    size_t used = 0;
    // a client has two seconds to say what it wants
    const struct timeval limit = {.tv_sec = 2};
    setsockopt(client, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
    setsockopt(client, SOL_SOCKET, SO_SNDTIMEO, &(struct timeval){.tv_sec = 20},
               sizeof(struct timeval));
    request[0] = 0;
    while (used < sizeof request - 1 && !strstr(request, "\r\n\r\n")) {
        const ssize_t got = recv(client, request + used, sizeof request - 1 - used, 0);
        if (got <= 0) {
            break;
        }
        used += (size_t)got;
        request[used] = 0;
    }
    const bool whole = strstr(request, "\r\n\r\n") != NULL;
    const bool get = strncmp(request, "GET ", 4) == 0, is_head = strncmp(request, "HEAD ", 5) == 0;
    const char *path = request + (get ? 4 : 5);
    const char *status = !whole || (!get && !is_head)  ? "405 Method Not Allowed"
                         : !names_loopback(request)    ? "403 Forbidden"
                         : strncmp(path, "/ ", 2) != 0 ? "404 Not Found"
                                                       : "200 OK";
    const bool good = status[0] == '2';
    snprintf(head, sizeof head,
             "HTTP/1.1 %s\r\nContent-Type: text/html; charset=utf-8\r\nContent-Length: %zu\r\n"
             "Cache-Control: no-store\r\nX-Content-Type-Options: nosniff\r\n"
             "Connection: close\r\n\r\n",
             status, good ? size : strlen(status));
    if (send_all(client, head, strlen(head)) && !is_head) {
        send_all(client, good ? text : status, good ? size : strlen(status));
    }
}

bool lb_cli_serve_page(const char *text, size_t size, int port, void (*ready)(const char *address))
{
    struct sockaddr_in where = {.sin_family = AF_INET,
                                .sin_port = htons((uint16_t)port),
                                .sin_addr = {.s_addr = htonl(INADDR_LOOPBACK)}};
    socklen_t length = sizeof where;
    const int listener = socket(AF_INET, SOCK_STREAM, 0);
    const int yes = 1;
    if (listener >= 0) {
        setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    }
    if (listener < 0 || bind(listener, (struct sockaddr *)&where, sizeof where) != 0 ||
        listen(listener, 16) != 0 ||
        getsockname(listener, (struct sockaddr *)&where, &length) != 0) {
        lb_cli_complain("cannot listen on port %d: %s", port, strerror(errno));
        if (listener >= 0) {
            close(listener);
        }
        return false;
    }
    const struct sigaction action = {.sa_handler = stop};
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    char address[64];
    snprintf(address, sizeof address, "http://127.0.0.1:%d/", ntohs(where.sin_port));
    printf("%s (Ctrl-C ends it)\n", address);
    fflush(stdout);
    if (ready) {
        ready(address);
    }
    while (!stopped) {
        const int client = accept(listener, NULL, NULL);
        if (client >= 0) {
            answer(client, text, size);
            close(client);
        }
    }
    close(listener);
    return true;
}
