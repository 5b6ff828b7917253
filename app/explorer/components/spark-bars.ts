import { html } from '../html.ts'

const width = 3
const height = 18
const gap = 1

/** Small bars of equal parts of the window; the last, which may not be over, is pale. */
export function SparkBars({ counts }: { counts: number[] }) {
  const highest = Math.max(1, ...counts)
  const bars = counts.map((count, at) => {
    const tall = count > 0 ? Math.max(1, (count / highest) * height) : 0
    const last = at === counts.length - 1
    return html`<rect key=${at} class=${last ? 'last' : ''} x=${at * (width + gap)} y=${height - tall} width=${width} height=${tall} />`
  })
  return html`<svg class="spark" viewBox=${`0 0 ${counts.length * (width + gap)} ${height}`} width=${counts.length * (width + gap)} height=${height} aria-hidden="true">${bars}</svg>`
}
