import { openSync, statSync } from 'node:fs'
import { DataType, load, open } from 'ffi-rs'

// Landlock of Linux limits the files that a process may open, without privileges; linux/landlock.h has the numbers.

const [createRuleset, addRule, restrictSelf] = [444, 445, 446]
const pathBeneath = 1
const noNewPrivileges = 38
const opensPathOnly = 0o10000000

const [execute, writeFile, readFile, readDirectory, removeFile, makeFile, truncate] = [1, 2, 4, 8, 32, 256, 16384]
const rightsToFiles = execute | writeFile | readFile | truncate
/** All rights of version 3; version 2 lacks truncate and allows it to everybody. */
const everyRight = 2 * truncate - 1

const rightsByUse = {
  owns: everyRight,
  reads: readFile | readDirectory,
  appends: writeFile | truncate | readDirectory | makeFile | removeFile,
}

/**
 * Confines this thread and its children to the existing files and folders among those given. Does nothing before Linux
 * 5.19, whose Landlock forbids renaming a file into another folder.
 * @param paths that it `owns`, `reads` or `appends` to, which permits writing and rotation but not reading.
 */
export function confineProcess(paths) {
  open({ library: 'libc', path: 'libc.so.6' })
  const version = call('syscall', createRuleset, 0, 0, 1)
  if (version < 2) return
  const handled = version === 2 ? everyRight & ~truncate : everyRight
  const ruleset = succeed(call('syscall', createRuleset, u64(handled), 8, 0))
  for (const [use, path] of Object.entries(paths).flatMap(([use, paths]) => paths.map((path) => [use, path]))) {
    const status = statSync(path, { throwIfNoEntry: false })
    if (!status) continue
    const rights = rightsByUse[use] & handled & (status.isDirectory() ? everyRight : rightsToFiles)
    // Never closed, because /proc may replace a file that nothing has open.
    const beneath = openSync(path, opensPathOnly)
    succeed(call('syscall', addRule, ruleset, pathBeneath, Buffer.concat([u64(rights), i32(beneath)]), 0))
  }
  succeed(call('prctl', noNewPrivileges, 1, 0, 0, 0))
  succeed(call('syscall', restrictSelf, ruleset, 0))
}

function call(funcName, ...values) {
  const paramsType = values.map((value) => (Buffer.isBuffer(value) ? DataType.U8Array : DataType.I64))
  return Number(load({ library: 'libc', funcName, retType: DataType.I64, paramsType, paramsValue: values }))
}

function succeed(result) {
  if (result < 0) throw new Error('DB::Exception: Landlock cannot confine the engine (LANDLOCK)')
  return result
}

function u64(value) {
  const bytes = Buffer.alloc(8)
  bytes.writeBigUInt64LE(BigInt(value))
  return bytes
}

function i32(value) {
  const bytes = Buffer.alloc(4)
  bytes.writeInt32LE(value)
  return bytes
}
