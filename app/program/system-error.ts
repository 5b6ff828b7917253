/** @module Errors of the operating system as one sentence: path or address, problem, remedy. */

import { getSystemErrorMap } from 'node:util'

/** Fields that Node adds to errors of files, connections and name lookups. */
interface SystemError extends NodeJS.ErrnoException {
  readonly address?: string
  readonly port?: number
  readonly hostname?: string
}

const descriptions: ReadonlyMap<string, string> = new Map([
  ...getSystemErrorMap().values(),
  ['ENOTFOUND', 'no such host'],
])

/** End of the sentence after the path or address, by code. */
const sentences: Readonly<Record<string, string>> = {
  ENOENT: 'does not exist: correct the path',
  ENOTDIR: 'uses a file as a folder: correct the path',
  EISDIR: 'is a folder: use the path of a file',
  EEXIST: 'already exists: use another path',
  EACCES: 'is not accessible to this user: change its owner or mode, or use another path',
  EPERM: 'is not accessible to this user: run the command as its owner, or use another path',
  EROFS: 'is on a read-only disk: use another path',
  ENOSPC: 'is on a full disk: free some space, or use another path',
  EDQUOT: 'is on a disk whose quota is used up: free some space, or use another path',
  EMFILE: 'cannot be opened, because this process has too many open files: raise "ulimit -n"',
  ENFILE: 'cannot be opened, because this machine has too many open files: raise fs.file-max',
  ECONNREFUSED: 'refuses connections: start the server, or correct host and port',
  ECONNRESET: 'closed the connection: run the command again',
  ETIMEDOUT: 'does not respond: correct host and port, or open the firewall',
  EHOSTUNREACH: 'cannot be reached: correct the host, or check the network',
  ENETUNREACH: 'cannot be reached: correct the host, or check the network',
  ENOTFOUND: 'is not in DNS: correct the name',
  EAI_AGAIN: 'cannot be resolved because DNS does not respond: run the command again',
  EADDRINUSE: 'is in use: use another port',
  EADDRNOTAVAIL: 'is not an address of this machine: correct the host',
}

/** Undefined for an error that is not of the operating system. */
export function explainSystemError(error: SystemError): string | undefined {
  const { code = '' } = error
  const description = descriptions.get(code)
  if (description === undefined) return undefined
  const sentence = sentences[code] ?? `failed: ${description} (${code})`
  return `${subjectOf(error)} ${sentence}`
}

function subjectOf({ code = '', path, address, port = -1, hostname }: SystemError): string {
  const host = address?.includes(':') ? `[${address}]` : address
  const name = path ?? (host !== undefined && port >= 0 ? `${host}:${port}` : host) ?? hostname
  return name ?? (/^E(CONN|TIMEDOUT|HOST|NET|PIPE)/.test(code) ? 'The other side' : 'The file')
}
