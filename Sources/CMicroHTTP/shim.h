#pragma once

#include <microhttpd.h>
#include <sys/socket.h>

// Swift cannot call functions with variable arguments.

static const enum MHD_Result ink_http_yes = MHD_YES;
static const enum MHD_Result ink_http_no = MHD_NO;
static const enum MHD_ConnectionNotificationCode ink_http_opened = MHD_CONNECTION_NOTIFY_STARTED;
static const enum MHD_ValueKind ink_http_headers = MHD_HEADER_KIND;
static const enum MHD_ValueKind ink_http_query = MHD_GET_ARGUMENT_KIND;
static const enum MHD_ResponseMemoryMode ink_http_copied = MHD_RESPMEM_MUST_COPY;

struct ink_http_settings {
    unsigned int flags;
    const struct sockaddr *address;
    unsigned int connections_max;
    unsigned int idle_seconds;
    size_t memory_bytes;
    size_t stack_bytes;
    MHD_AccessHandlerCallback handle;
    MHD_RequestCompletedCallback completed;
    MHD_NotifyConnectionCallback connected;
    // Returns the length of a text, which it leaves as it is: paths are taken apart before they are decoded.
    size_t (*unescape)(void *context, struct MHD_Connection *connection, char *text);
    void *context;
};

static inline struct MHD_Daemon *ink_http_start(const struct ink_http_settings *settings) {
    return MHD_start_daemon(
        settings->flags, 0, NULL, NULL, settings->handle, settings->context,
        MHD_OPTION_SOCK_ADDR, settings->address,
        MHD_OPTION_CONNECTION_LIMIT, settings->connections_max,
        MHD_OPTION_CONNECTION_TIMEOUT, settings->idle_seconds,
        MHD_OPTION_CONNECTION_MEMORY_LIMIT, settings->memory_bytes,
        MHD_OPTION_THREAD_STACK_SIZE, settings->stack_bytes,
        MHD_OPTION_NOTIFY_COMPLETED, settings->completed, settings->context,
        MHD_OPTION_NOTIFY_CONNECTION, settings->connected, settings->context,
        MHD_OPTION_UNESCAPE_CALLBACK, settings->unescape, settings->context,
        MHD_OPTION_STRICT_FOR_CLIENT, 1,
        MHD_OPTION_END);
}

static inline unsigned int ink_http_port(struct MHD_Daemon *daemon) {
    const union MHD_DaemonInfo *info = MHD_get_daemon_info(daemon, MHD_DAEMON_INFO_BIND_PORT);
    return info == NULL ? 0 : info->port;
}

static inline int ink_http_descriptor(struct MHD_Connection *connection) {
    const union MHD_ConnectionInfo *info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
    return info == NULL ? -1 : info->connect_fd;
}

static inline unsigned int ink_http_connections(struct MHD_Daemon *daemon) {
    const union MHD_DaemonInfo *info = MHD_get_daemon_info(daemon, MHD_DAEMON_INFO_CURRENT_CONNECTIONS);
    return info == NULL ? 0 : info->num_connections;
}
