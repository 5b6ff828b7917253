import type { Read, Reader } from './query.ts'

export const toReader = (read: Read): Reader => ({
  read,
  readAll: async (queries) => (await Promise.all(queries.map((query) => read(query)))).flat(),
})
