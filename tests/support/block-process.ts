/** Nothing of this process runs meanwhile, as in a pause of the machine; a server that it stopped first stays so too. */
export function blockProcess(milliseconds: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, milliseconds)
}
