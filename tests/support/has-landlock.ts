import { DataType, load, open } from 'ffi-rs'

const createRuleset = 444

/** True where Linux confines a process as the embedded engine needs it: version 2 of Landlock, of 5.19. */
export function hasLandlock(): boolean {
  if (process.platform !== 'linux') return false
  open({ library: 'libc', path: 'libc.so.6' })
  const paramsType = [DataType.I64, DataType.I64, DataType.I64, DataType.I64]
  const call = { library: 'libc', funcName: 'syscall', retType: DataType.I64, paramsType }
  return Number(load({ ...call, paramsValue: [createRuleset, 0, 0, 1] })) >= 2
}
