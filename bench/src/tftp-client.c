/*
 * Downloads one file by TFTP over and over with many clients at once, and prints the seconds it took as JSON. Each client
 * has an address of its own and each download a port; it acknowledges as RFC 1350, 2348 and 7440 say. Beside the seconds:
 * which part of its looks at a socket found nothing there. Near 0, it was the client that was measured.
 *
 *   tftp-client SERVER FILE BYTES WINDOW CLIENTS REPEATS
 *
 * In C, because it must be faster than every server, or it is what gets measured: it makes two system calls for a block. It
 * never sleeps and no epoll watches its sockets: to wake it up and to tell an epoll would take the server's time, as no client on
 * another machine does. What one send cut is taken as the kernel has it (UDP_GRO): loopback would else cut it in the time of the
 * server, where a real network card does that.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define UDP_GRO 104
#define BLOCK_BYTES 1468
#define CLIENTS_MAX 200
#define RECEIVE_BUFFER_BYTES (1024 * 1024)
#define RESEND_SECONDS 1.0
#define SILENCES_MAX 8

enum { DATA = 3, ERROR = 5, OPTIONS_ACKNOWLEDGED = 6 };

struct download {
  int socket;
  /* The server's port for this download; 0 until it is known. */
  in_port_t port;
  int block_bytes, window;
  /* Blocks received in order; of them, acknowledged. */
  long blocks, acknowledged;
  long received;
  int repeats_left, silences;
  double heard;
};

static struct sockaddr_in server = {.sin_family = AF_INET};
static struct download downloads[CLIENTS_MAX];
static char request[600];
static size_t request_bytes;
static long file_bytes, resent, looks, looks_in_vain;
static int running;

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec + time.tv_nsec / 1e9;
}

static void fail(const char *what) {
  fprintf(stderr, "tftp-client: %s\n", what);
  exit(1);
}

static void send_request(struct download *one) {
  sendto(one->socket, request, request_bytes, 0, (struct sockaddr *)&server, sizeof server);
}

/* From then on the kernel knows the way and does not look for it again. */
static void know_port(struct download *one, in_port_t port) {
  struct sockaddr_in to = server;
  to.sin_port = one->port = port;
  if (connect(one->socket, (struct sockaddr *)&to, sizeof to) < 0) fail("cannot connect");
}

static void acknowledge(struct download *one) {
  unsigned char packet[4] = {0, 4, one->blocks >> 8 & 0xff, one->blocks & 0xff};
  one->acknowledged = one->blocks;
  send(one->socket, packet, sizeof packet, 0);
}

/* The client's next download, if one is left, from a new port. */
static void begin(struct download *one) {
  struct sockaddr_in local = {.sin_family = AF_INET};
  int yes = 1, buffer = RECEIVE_BUFFER_BYTES;
  if (one->repeats_left-- == 0) return;
  local.sin_addr.s_addr = htonl(0x7f000101 + (one - downloads));
  one->socket = socket(AF_INET, SOCK_DGRAM | SOCK_NONBLOCK, 0);
  setsockopt(one->socket, SOL_SOCKET, SO_RCVBUF, &buffer, sizeof buffer);
  if (setsockopt(one->socket, IPPROTO_UDP, UDP_GRO, &yes, sizeof yes) < 0) fail("no UDP_GRO");
  if (bind(one->socket, (struct sockaddr *)&local, sizeof local) < 0) fail("cannot bind");
  one->port = 0;
  one->block_bytes = 512;
  one->window = 1;
  one->blocks = one->acknowledged = one->received = 0;
  one->silences = 0;
  one->heard = now();
  running++;
  send_request(one);
}

static void finish(struct download *one) {
  if (one->received != file_bytes) fail("not all bytes came");
  close(one->socket);
  running--;
  begin(one);
}

static void read_options(struct download *one, char *words, char *end) {
  for (char *name = words; name < end;) {
    char *value = name + strnlen(name, end - name) + 1;
    if (value >= end) return;
    if (strcasecmp(name, "blksize") == 0) one->block_bytes = atoi(value);
    if (strcasecmp(name, "windowsize") == 0) one->window = atoi(value);
    name = value + strnlen(value, end - value) + 1;
  }
}

/* True when the last block has come. */
static int take_data(struct download *one, unsigned char *packet, int length) {
  int is_next = (packet[2] << 8 | packet[3]) == ((one->blocks + 1) & 0xffff);
  if (!is_next) {
    /* A gap in a window: what came in order is acknowledged, and the server goes on from there (RFC 7440 section 4). */
    if (one->blocks > one->acknowledged) acknowledge(one);
    return 0;
  }
  one->blocks++;
  one->received += length - 4;
  int is_last = length - 4 < one->block_bytes;
  if (is_last || one->blocks - one->acknowledged >= one->window) acknowledge(one);
  return is_last;
}

/* True when the download is over. */
static int take(struct download *one, unsigned char *packet, int length, in_port_t port) {
  if (length < 4 || (one->port != 0 && one->port != port)) return 0;
  if (one->port == 0) know_port(one, port);
  switch (packet[0] << 8 | packet[1]) {
    case DATA:
      return take_data(one, packet, length);
    case OPTIONS_ACKNOWLEDGED:
      if (one->blocks > 0) return 0;
      read_options(one, (char *)packet + 2, (char *)packet + length);
      acknowledge(one);
      return 0;
    case ERROR:
      fail((char *)packet + 4);
  }
  return 0;
}

/* What waits on the socket of a download, up to what the server goes on after. */
static void receive(struct download *one) {
  static unsigned char bytes[65536];
  char control[64];
  struct sockaddr_in from;
  for (;;) {
    struct iovec vector = {bytes, sizeof bytes};
    struct msghdr message = {.msg_name = &from, .msg_namelen = sizeof from, .msg_iov = &vector,
                             .msg_iovlen = 1, .msg_control = control, .msg_controllen = sizeof control};
    int length = recvmsg(one->socket, &message, 0);
    looks++;
    if (length < 0) {
      looks_in_vain++;
      return;
    }
    int segment = length;
    for (struct cmsghdr *each = CMSG_FIRSTHDR(&message); each; each = CMSG_NXTHDR(&message, each))
      if (each->cmsg_level == IPPROTO_UDP && each->cmsg_type == UDP_GRO) memcpy(&segment, CMSG_DATA(each), sizeof segment);
    one->heard = now();
    one->silences = 0;
    for (int at = 0; at < length; at += segment) {
      int size = length - at < segment ? length - at : segment;
      if (take(one, bytes + at, size, from.sin_port)) {
        finish(one);
        return;
      }
    }
    if (one->acknowledged == one->blocks) return;
  }
}

static void resend_to_silent(int clients) {
  static double looked;
  double time = now();
  if (time - looked < RESEND_SECONDS / 4) return;
  looked = time;
  for (struct download *one = downloads; one < downloads + clients; one++) {
    if (one->repeats_left < 0 || time - one->heard < RESEND_SECONDS) continue;
    one->heard = time;
    resent++;
    if (++one->silences > SILENCES_MAX) fail("the server is silent");
    if (one->port == 0) send_request(one);
    else acknowledge(one);
  }
}

static void write_request(const char *file, const char *window) {
  int length = snprintf(request, sizeof request, "%c%c%s%coctet%cblksize%c%d%c", 0, 1, file, 0, 0, 0, BLOCK_BYTES, 0);
  if (strcmp(window, "1") != 0)
    length += snprintf(request + length, sizeof request - length, "windowsize%c%s%c", 0, window, 0);
  request_bytes = length;
}

int main(int count, char **words) {
  if (count != 7) fail("usage: tftp-client SERVER FILE BYTES WINDOW CLIENTS REPEATS");
  int clients = atoi(words[5]);
  if (clients < 1 || clients > CLIENTS_MAX) fail("1 to 200 clients");
  server.sin_port = htons(69);
  if (inet_pton(AF_INET, words[1], &server.sin_addr) != 1) fail("not an IPv4 address");
  if (strlen(words[2]) > 400) fail("the name of the file is too long");
  write_request(words[2], words[4]);
  file_bytes = atol(words[3]);
  double started = now();
  for (int index = 0; index < clients; index++) {
    downloads[index].repeats_left = atoi(words[6]);
    begin(&downloads[index]);
  }
  while (running > 0) {
    for (struct download *one = downloads; one < downloads + clients; one++)
      if (one->repeats_left >= 0) receive(one);
    resend_to_silent(clients);
  }
  printf("{\"seconds\":%.6f,\"resent\":%ld,\"lookedInVain\":%.2f}\n", now() - started, resent,
         (double)looks_in_vain / looks);
  return 0;
}
