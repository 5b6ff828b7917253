const allowDisk =
  "define the disk in ClickHouse's <storage_configuration> and allow it: <backups><allowed_disk>NAME</allowed_disk></backups>"
const allowPath =
  "allow a folder in ClickHouse's configuration: <backups><allowed_path>backups</allowed_path></backups>"
const copyFolder = 'copy its folder to backups/ in the data folder (DATA_DIR/clickhouse/backups), or correct the name'

/** One line with advice about an error in system.backups, which has a stack trace. */
export function explainFault(error: string): string {
  const [, text = error, code] = /DB::Exception: (.*?)\.? \(([A-Z_]+)\)/s.exec(error) ?? []
  const name = /([\w.-]+)\/(?:data|contents)'/.exec(text)?.[1]
  if (code === 'BACKUP_ALREADY_EXISTS')
    return `The backup ${name} already exists or was interrupted: use another name, or remove it first`
  if (code === 'BACKUP_NOT_FOUND') {
    return `There is no backup ${name}, or it was interrupted: ${text.startsWith('Backup File(') ? copyFolder : text}`
  }
  if (code === 'UNKNOWN_DISK' || text.includes('allowed_disk')) return `${text}: ${allowDisk}`
  return text.includes('allowed_path') ? `${text}: ${allowPath}` : text.replaceAll(/\s+/g, ' ')
}
