/* Preloaded into a load generator: all its sockets keep 8 MB that it has not read, so that it loses no answer which a server has sent. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <sys/socket.h>

int socket(int domain, int type, int protocol) {
  int (*next)(int, int, int) = (int (*)(int, int, int))dlsym(RTLD_NEXT, "socket");
  int descriptor = next(domain, type, protocol);
  int bytes = 8 << 20;
  if (descriptor >= 0) setsockopt(descriptor, SOL_SOCKET, SO_RCVBUFFORCE, &bytes, sizeof bytes);
  return descriptor;
}
