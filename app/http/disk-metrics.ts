import { Gauge, type Registry } from 'prom-client'
import { findDiskSpace } from '../../clickhouse/disk-space.ts'
import type { Database } from '../../queries/clickhouse/database.ts'

/** Read at each scrape; no series while ClickHouse does not respond. */
export function addDiskMetrics(registry: Registry, database: Pick<Database, 'read'>): void {
  const registers = [registry]
  const size = new Gauge({ name: 'clickhouse_disk_size_bytes', help: "Size of ClickHouse's disk", registers })
  const free = new Gauge({
    name: 'clickhouse_disk_free_bytes',
    help: "Free bytes of ClickHouse's disk",
    registers,
    async collect() {
      const [found] = await database.read(findDiskSpace).catch(() => [])
      free.reset()
      size.reset()
      if (!found) return
      free.set(found.free)
      size.set(found.size)
    },
  })
}
