// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// One page, served to browsers on this machine. Only the loopback interface is listened on, and only
// requests that name it are answered, so that no other site can have a browser fetch the page.
#define _POSIX_C_SOURCE 200809L
#include "view/page.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <unistd.h>

#include "console.h"

static volatile sig_atomic_t stopped;

static void stop(int signal_number)
{
    (void)signal_number;
    stopped = 1;
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

// Those who are served at the same time; others wait in the queue of the system.
enum { CLIENT_MAX = 32, REQUEST_MAX = 8191 };

// A browser: what it has asked so far, or what is still to be sent to it.
typedef struct client {
    int socket;   // -1: free
    double since; // when it last said or took something
    bool answering;
    size_t used;
    char request[REQUEST_MAX + 1];
    char head[256];
    size_t head_left, body_left;
    const char *body_end;
} client;

static void prepare_answer(client *c, const char *text, size_t size)
{
    const char *request = c->request;
    const bool whole = strstr(request, "\r\n\r\n") != NULL;
    const bool get = strncmp(request, "GET ", 4) == 0, is_head = strncmp(request, "HEAD ", 5) == 0;
    const char *path = request + (get ? 4 : 5);
    const char *status = !whole || (!get && !is_head)  ? "405 Method Not Allowed"
                         : !names_loopback(request)    ? "403 Forbidden"
                         : strncmp(path, "/ ", 2) != 0 ? "404 Not Found"
                                                       : "200 OK";
    const bool good = status[0] == '2';
    const char *body = good ? text : status;
    const size_t length = good ? size : strlen(status);
    snprintf(c->head, sizeof c->head,
             "HTTP/1.1 %s\r\nContent-Type: text/html; charset=utf-8\r\nContent-Length: %zu\r\n"
             "Cache-Control: no-store\r\nX-Content-Type-Options: nosniff\r\n"
             "Connection: close\r\n\r\n",
             status, length);
    c->answering = true;
    c->head_left = strlen(c->head);
    c->body_left = is_head ? 0 : length;
    c->body_end = body + length;
}

static void drop(client *c)
{
    close(c->socket);
    c->socket = -1;
}

// Sends what the client takes now; false when all is sent or it is gone.
static bool send_some(client *c)
{
    while (c->head_left + c->body_left > 0) {
        const bool head = c->head_left > 0;
        const char *from =
            head ? c->head + strlen(c->head) - c->head_left : c->body_end - c->body_left;
        const ssize_t sent =
            send(c->socket, from, head ? c->head_left : c->body_left, MSG_NOSIGNAL | MSG_DONTWAIT);
        if (sent < 0) {
            return errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR;
        }
        c->since = lb_get_wall_time();
        *(head ? &c->head_left : &c->body_left) -= (size_t)sent;
    }
    return false;
}

// Takes what the client says; false when it is gone.
static bool hear(client *c, const char *text, size_t size)
{
    const ssize_t got = recv(c->socket, c->request + c->used, REQUEST_MAX - c->used, MSG_DONTWAIT);
    if (got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR)) {
        return true;
    }
    c->used += got > 0 ? (size_t)got : 0;
    c->request[c->used] = 0;
    if (got <= 0 || c->used == REQUEST_MAX || strstr(c->request, "\r\n\r\n")) {
        prepare_answer(c, text, size);
        return send_some(c);
    }
    return true;
}

static void accept_client(int listener, client *clients)
{
    const int socket = accept(listener, NULL, NULL);
    for (int i = 0; socket >= 0 && i < CLIENT_MAX; ++i) {
        client *c = &clients[i];
        if (c->socket < 0) {
            c->socket = socket;
            c->since = lb_get_wall_time();
            c->answering = false;
            c->used = 0;
            c->request[0] = 0;
            return;
        }
    }
    if (socket >= 0) {
        close(socket);
    }
}

// All clients side by side: none waits for another that is slow. Each has two seconds to say what it wants,
// and twenty to take some of it.
static void serve_clients(int listener, const char *text, size_t size, client *clients)
{
    struct pollfd wait[CLIENT_MAX + 1];
    int who[CLIENT_MAX + 1], count = 0;
    for (int i = 0; i < CLIENT_MAX; ++i) {
        const client *c = &clients[i];
        if (c->socket >= 0) {
            who[count] = i;
            wait[count++] =
                (struct pollfd){.fd = c->socket, .events = c->answering ? POLLOUT : POLLIN};
        }
    }
    const bool room = count < CLIENT_MAX;
    wait[count] = (struct pollfd){.fd = room ? listener : -1, .events = POLLIN};
    (void)poll(wait, (nfds_t)count + 1, 500);
    for (int i = 0; i < count; ++i) {
        client *c = &clients[who[i]];
        const bool stays = !wait[i].revents
                               ? lb_get_wall_time() - c->since <= (c->answering ? 20.0 : 2.0)
                           : c->answering ? send_some(c)
                                          : hear(c, text, size);
        if (!stays) {
            drop(c);
        }
    }
    if (wait[count].revents) {
        accept_client(listener, clients);
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
    static client clients[CLIENT_MAX];
    for (int i = 0; i < CLIENT_MAX; ++i) {
        clients[i].socket = -1;
    }
    while (!stopped) {
        serve_clients(listener, text, size, clients);
    }
    for (int i = 0; i < CLIENT_MAX; ++i) {
        if (clients[i].socket >= 0) {
            drop(&clients[i]);
        }
    }
    close(listener);
    return true;
}
