/** @module The nodes of a cluster; any of them can run a statement. */

import { hasNotBegun, isForAnotherNode, isNamed } from './error-codes.ts'
import { TimedOut } from './with-timeout.ts'

const url = /^(https?:\/\/(?:[^@/]*@)?)([^/]+)(.*)$/

/** The URL of each host of `http://user:password@a:8123,b:8123/database`. */
export function nodeUrls(urls: string): string[] {
  const [, start, hosts, path] = url.exec(urls) ?? []
  return hosts === undefined ? [urls] : hosts.split(',').map((host) => `${start}${host}${path}`)
}

/** Nothing reached the node. */
const neverSent = new Set(['ECONNREFUSED', 'UND_ERR_CONNECT_TIMEOUT', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH'])

const connectionFaults = new Set([
  ...neverSent,
  ...['ECONNRESET', 'EPIPE', 'ETIMEDOUT', 'ENETUNREACH', 'UND_ERR_SOCKET'],
])

/** A node that accepts connections and does not respond. */
class NodeFrozen extends Error {}

const codeOf = (error: unknown) => String((error as NodeJS.ErrnoException).code)

export const wasNeverSent = (error: unknown) => neverSent.has(codeOf(error))

/** A new node creates its tables one after the other. */
const lacksTables = (error: unknown) => isNamed(error, 'UNKNOWN_TABLE', 'UNKNOWN_DATABASE')

const isNodeFault = (error: unknown) =>
  error instanceof NodeFrozen ||
  error instanceof NodeBehind ||
  error instanceof TimedOut ||
  connectionFaults.has(codeOf(error)) ||
  lacksTables(error) ||
  isForAnotherNode(error)

const mayRunOnNext = (error: unknown) => wasNeverSent(error) || hasNotBegun(error) || lacksTables(error)

const restMs = 5_000
/** Together with the 800 ms of a ping, the longest wait for a frozen node, below the timeout of lookups. */
const aliveAfterMs = 400

export interface Nodes<Node> {
  /** Runs a read on the last used node, and on the next if it fails, once per node. */
  read<Result>(task: (node: Node, signal: AbortSignal) => Promise<Result>, signal: AbortSignal): Promise<Result>
  /**
   * Runs a write on one node, and on the next if it did not begin; the caller's retry goes to the next node.
   * @param once for a task that consumes its rows.
   */
  write<Result>(task: (node: Node) => Promise<Result>, once?: 'once'): Promise<Result>
}

/** The node lacks rows of its own tables, for example because it is new. */
class NodeBehind extends Error {
  readonly code = 'upstream_unavailable'
}

export interface NodeChecks<Node> {
  /** Whether it responds in time. */
  isAlive(node: Node): Promise<boolean>
  /** True if it has the rows that other nodes have. Rejects if it does not respond. */
  isInStep(node: Node): Promise<boolean>
}

/** A node that failed rests for 5 s while others serve. */
export function createNodes<Node>(nodes: readonly Node[], { isAlive, isInStep }: NodeChecks<Node>): Nodes<Node> {
  const restsUntil = new Map<Node, number>()
  let served: Node | undefined
  let last = 0

  function inOrder(): Node[] {
    const now = performance.now()
    const rests = (node: Node) => (restsUntil.get(node) ?? 0) > now
    const fromLast = [...nodes.slice(last), ...nodes.slice(0, last)]
    return [...fromLast.filter((node) => !rests(node)), ...fromLast.filter(rests)]
  }

  async function run<Result>(task: (node: Node) => Promise<Result>, goesOn: (error: unknown) => boolean) {
    let failure: unknown
    for (const node of inOrder()) {
      let isJoined = false
      try {
        await join(node)
        isJoined = true
        const result = await task(node)
        last = nodes.indexOf(node)
        served = node
        return result
      } catch (error) {
        if (isJoined || failure === undefined) failure = error
        if (isNodeFault(error)) {
          restsUntil.set(node, performance.now() + restMs)
          if (served === node) served = undefined
        }
        if (isJoined && !goesOn(error)) break
      }
    }
    throw failure
  }

  /** A node that failed, or did not serve the last statement, can have been replaced. */
  async function join(node: Node): Promise<void> {
    if (nodes.length === 1 || node === served) return
    if (!(await isInStep(node))) throw new NodeBehind('The node lacks rows that other nodes have')
  }

  /** Aborts the task if its node is frozen and another can take over. */
  async function whileAlive<Result>(
    node: Node,
    task: (signal: AbortSignal) => Promise<Result>,
    signal: AbortSignal,
  ): Promise<Result> {
    if (nodes.length === 1) return task(signal)
    const controller = new AbortController()
    const abort = () => controller.abort(signal.reason)
    signal.addEventListener('abort', abort)
    const timer = setInterval(async () => {
      if (!(await isAlive(node))) controller.abort(new NodeFrozen('The node does not respond'))
    }, aliveAfterMs)
    try {
      return await task(controller.signal)
    } finally {
      clearInterval(timer)
      signal.removeEventListener('abort', abort)
    }
  }

  return {
    read: (task, signal) =>
      run(
        (node) => whileAlive(node, (until) => task(node, until), signal),
        (error) => isNodeFault(error) && !signal.aborted,
      ),
    write: (task, once) => run(task, (error) => once === undefined && mayRunOnNext(error)),
  }
}
