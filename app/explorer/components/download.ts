export const toNdjson = (items: any[]) =>
  new Blob(
    items.map((item) => `${JSON.stringify(item)}\n`),
    { type: 'application/x-ndjson' },
  )

export function save(blob: any, name: string) {
  const link = document.createElement('a')
  link.href = URL.createObjectURL(blob)
  link.download = name
  link.click()
  URL.revokeObjectURL(link.href)
}
