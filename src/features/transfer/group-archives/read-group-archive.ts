/** Unpacks the archive of a group from an untrusted source: its sizes, names and format are validated. */
import type { Readable } from 'node:stream'
import type { App } from '../../../app.ts'
import { Failure } from '../../../failure.ts'
import { Upload } from '../../../http/parameters/upload.ts'
import type { TempFile } from '../../../store/temp-file.ts'
import { type Avatar, acceptAvatar } from '../../storage/avatars/avatars.ts'
import { archiveError, readLines, readWhole, requireVersion, toDisk, toStore, unpack } from '../archive/archive.ts'
import { formatVersion, kindOf, type Line, maxLines, type TableName, tables } from './group-format.ts'

export interface Unpacked {
  tables: Map<TableName, TempFile>
  /** By the number of the group. Nothing refers to these objects yet. */
  avatars: Map<number, Avatar>
  /** The keys of git bundles. */
  wikis: Map<number, string>
  /** Removes the temporary files. */
  close: () => Promise<void>
}

const maxAvatar_bytes = 200 * 1024

/** Throws `invalid` for an invalid archive. The caller closes the result. */
export async function readGroupArchive(app: App, source: Readable): Promise<Unpacked> {
  const files: TempFile[] = []
  const close = async () => void (await Promise.all(files.map((file) => file.close())))
  const unpacked: Unpacked = { tables: new Map(), avatars: new Map(), wikis: new Map(), close }
  const { avatars, wikis } = unpacked
  try {
    await unpack(source, {
      kindOf,
      async take(found, entry) {
        if (found.kind === 'version') return requireVersion(entry, formatVersion)
        if (found.kind === 'table') return void unpacked.tables.set(found.table, await toDisk(app, files, entry))
        if (avatars.size + wikis.size >= 2 * maxLines.groups) throw archiveError('holds more files than groups do')
        if (found.kind === 'wiki') return void wikis.set(found.group, (await toStore(app, 'imports', entry)).store_key)
        avatars.set(found.group, await avatarIn(app, await readWhole(entry, maxAvatar_bytes)))
      },
    })
    return unpacked
  } catch (error) {
    await close()
    throw error
  }
}

async function avatarIn(app: App, bytes: Buffer): Promise<Avatar> {
  try {
    return (await acceptAvatar(app, new Upload('avatar', '', bytes))) ?? { avatar_key: null, avatar_name: null }
  } catch (error) {
    throw error instanceof Failure && error.code === 'invalid' ? archiveError('has an avatar that is no picture', error) : error
  }
}

/** The lines of a table in pages; none if the archive lacks it. Throws `invalid` at the first line that is none. */
export async function* linesOf<T extends TableName>({ tables: files }: Unpacked, table: T): AsyncGenerator<Array<Line<T>>> {
  const file = files.get(table)
  if (file) yield* readLines<Line<T>>(file, { table, schema: tables[table], max: maxLines[table] })
}
