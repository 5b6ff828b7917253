// One node of a cluster of tests: libchdb.so (npm: @chdb/lib-linux-x64-gnu 26.7.3-stable.1, ClickHouse 26.7.2.1) run as
// `clickhouse local` through its exported chdb_query_cmdline, which serves native TCP and HTTP after SYSTEM START LISTEN.
// Without INTERSERVER nothing is changed: that is a real single server, and a cluster without replication.
// With INTERSERVER=host:port it also switches on what the library has but `local` leaves off, so that ReplicatedMergeTree
// and the Replicated database engine work: (1) the address, scheme and empty credentials by which replicas fetch parts,
// (2) ClickHouse's own InterserverIOHTTPHandler on the second HTTP listener (the second <listen_host>), (3) an id for the
// server, so that nodes do not end each other's Keeper sessions, (4) replicated DDL and the threads it makes tables with,
// (5) a native connection that breaks no longer ends the process (local's KillingErrorHandler).
// Addresses are those of this one build; any other is refused. For tests only.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { cmdlineAt = 0xf211700, addressAt = 0x1417c9c0, factoryAt = 0x18395cc0, killerAt = 0xf113480, uuidAt = 0x228a3a48, replicatedDdlAt = 0x142891c0,
       createPoolAt = 0xf1ce5c0, initializePoolAt = 0xf1cd280 };
enum { hostOff = 0x150, portOff = 0x168, schemeOff = 0x170, credentialsOff = 0x1b0 };

// libc++ strings, alternate layout: 23 bytes in place and the size in the last, or pointer, size, capacity | 1 << 63.
struct text { char bytes[24]; };
static void put(struct text *t, const char *s) { memset(t, 0, 24); strcpy(t->bytes, s); t->bytes[23] = (char)strlen(s); }

static char *base;
static char host[23];
static uint16_t port;
static struct { struct text user, password; struct text *begin, *end, *cap; } credentials;
static struct text anyone[2];

static void fillContext(void **context) {
  char *shared = *context;
  if (*(uint16_t *)(shared + portOff)) return;
  put((struct text *)(shared + hostOff), host);
  put((struct text *)(shared + schemeOff), "http");
  // As interserver_http_credentials of config.d/cluster.xml, which `local` does not read.
  const char *secret = getenv("INTERSERVER_PASSWORD");
  if (secret && *secret) {
    put(&credentials.user, "interserver"), put(&credentials.password, secret);
    anyone[0] = credentials.user, anyone[1] = credentials.password;
  }
  credentials.begin = anyone, credentials.end = credentials.cap = anyone + 2;
  *(void **)(shared + credentialsOff) = &credentials;
  *(uint16_t *)(shared + portOff) = port;
  // The threads with which a Replicated database makes the tables of a replica that joins.
  void *(*pool)(void) = (void *(*)(void))(base + createPoolAt);
  ((void (*)(void *, size_t, size_t, size_t))(base + initializePoolAt))(pool(), 4, 0, 1000);
}

static void *handlerName(void *name) {
  static int seen;
  static const char interserver[] = "InterserverIOHTTPHandler-factory";
  static struct { const char *data; uint64_t size, capacity; } text = { interserver, 32, 33 | 1ull << 63 };
  return memcmp(name, "HTTPHandler-factory", 20) == 0 && ++seen == 2 ? (void *)&text : name;
}

static char *emit(char *p, const char *bytes, size_t n) { memcpy(p, bytes, n); return p + n; }
static char *jump(char *p, void *to) { p = emit(p, "\xff\x25\0\0\0\0", 6); return emit(p, (char *)&to, 8); }

static void writable(char *at, int protection) {
  char *page = (char *)((uintptr_t)at & ~4095ul);
  if (mprotect(page, 8192, protection)) { perror("mprotect"); exit(9); }
}

static void patch(char *at, const char *bytes, size_t n) {
  writable(at, PROT_READ | PROT_WRITE | PROT_EXEC);
  memcpy(at, bytes, n);
  writable(at, PROT_READ | PROT_EXEC);
}

// The function at `at` first gives its argument in `argument` (0 rsi, 1 rcx) to `hear`; rcx becomes what that returns.
static void hook(char *at, const char *head, size_t headSize, int argument, void *hear) {
  if (memcmp(at, head, headSize)) { fprintf(stderr, "not the libchdb.so that this program knows\n"); exit(9); }
  char *code = mmap(0, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0), *p = code;
  p = emit(p, "\x57\x56\x52\x51\x48\x83\xec\x08", 8);              // push rdi rsi rdx rcx; sub rsp, 8
  p = emit(p, argument ? "\x48\x89\xcf" : "\x48\x89\xf7", 3);      // mov rdi, rcx | rsi
  p = emit(p, "\x48\xb8", 2), p = emit(p, (char *)&hear, 8);       // mov rax, hear
  p = emit(p, "\xff\xd0\x48\x83\xc4\x08\x59\x5a\x5e\x5f", 10);     // call rax; add rsp, 8; pop rcx rdx rsi rdi
  if (argument) p = emit(p, "\x48\x89\xc1", 3);                    // mov rcx, rax
  p = emit(p, at, headSize);
  jump(p, at + headSize);
  writable(at, PROT_READ | PROT_WRITE | PROT_EXEC);
  jump(at, code);
  writable(at, PROT_READ | PROT_EXEC);
}

int main(int argc, char **argv) {
  void *library = dlopen(getenv("LIBCHDB"), RTLD_NOW | RTLD_GLOBAL);
  if (!library) { fprintf(stderr, "%s\n", dlerror()); return 1; }
  void *(*run)(int, char **) = (void *(*)(int, char **))dlsym(library, "chdb_query_cmdline");
  const char *(*error)(void *) = (const char *(*)(void *))dlsym(library, "chdb_result_error");
  const char *(*buffer)(void *) = (const char *(*)(void *))dlsym(library, "chdb_result_buffer");
  size_t (*length)(void *) = (size_t (*)(void *))dlsym(library, "chdb_result_length");
  const char *interserver = getenv("INTERSERVER");
  if (interserver) {
    base = (char *)run - cmdlineAt;
    if (sscanf(interserver, "%22[^:]:%hu", host, &port) != 2) return 9;
    hook(base + addressAt, "\x41\x56\x53\x48\x83\xec\x48\x4c\x8b\x36\x49\x0f\xbe\x8e\x67\x01\0\0", 18, 0, fillContext);
    hook(base + factoryAt, "\x55\x41\x57\x41\x56\x41\x55\x41\x54\x53\x48\x81\xec\x98\0\0\0", 17, 1, handlerName);
    if (base[killerAt] != 0x50 || base[killerAt + 1] != (char)0xe8) return 9;
    patch(base + killerAt, "\xc3", 1);                                 // ret
    patch(base + replicatedDdlAt, "\xb0\x01\xc3", 3);                // return true
    // The server's own id, nil in `local`: nodes of one id would end each other's Keeper sessions.
    memset(base + uuidAt, 0x11, 16);
    memcpy(base + uuidAt, host, strlen(host) < 14 ? strlen(host) : 14);
    memcpy(base + uuidAt + 14, &port, 2);
  }
  void *result = run(argc, argv);
  if (result && error(result)) { fprintf(stderr, "%s\n", error(result)); return 3; }
  if (result && buffer(result)) fwrite(buffer(result), 1, length(result), stdout);
  return 0;
}
