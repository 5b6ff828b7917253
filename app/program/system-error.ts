/** @module Errors of the operating system as one sentence: the path or the address, what is wrong, and what to do. */

import { getSystemErrorMap } from 'node:util'

/** What Node adds to errors of files, connections and lookups of names. */
interface SystemError extends NodeJS.ErrnoException {
  readonly address?: string
  readonly port?: number
  readonly hostname?: string
}

const descriptions: ReadonlyMap<string, string> = new Map([
  ...getSystemErrorMap().values(),
  ['ENOTFOUND', 'no such host'],
])

/** By code, what follows the path or the address. */
const sentences: Readonly<Record<string, string>> = {
  ENOENT: 'does not exist: correct the path',
  ENOTDIR: 'leads through a file as if it was a folder: correct the path',
  EISDIR: 'is a folder: name a file in it',
  EEXIST: 'exists already, as something else: name another path',
  EACCES: 'is not permitted to this user: change its owner or mode, or name another path',
  EPERM: 'is not permitted to this user: run the command as its owner, or name another path',
  EROFS: 'is on a disk that cannot be written: name another path',
  ENOSPC: 'is on a full disk: free some of it, or name another path',
  EDQUOT: 'is on a disk whose quota is spent: free some of it, or name another path',
  EMFILE: 'is one file too many of this process: raise "ulimit -n"',
  ENFILE: 'is one file too many of this machine: raise fs.file-max',
  ECONNREFUSED: 'refuses connections: start the server there, or correct host and port',
  ECONNRESET: 'closed the connection: run the command again',
  ETIMEDOUT: 'does not respond: correct host and port, or open the firewall between',
  EHOSTUNREACH: 'cannot be reached: correct the host, or the network between',
  ENETUNREACH: 'cannot be reached: correct the host, or the network between',
  ENOTFOUND: 'is no host that DNS knows: correct the name',
  EAI_AGAIN: 'cannot be looked up, as DNS does not respond: run the command again',
  EADDRINUSE: 'is taken: name another port',
  EADDRNOTAVAIL: 'is no address of this machine: correct the host',
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
