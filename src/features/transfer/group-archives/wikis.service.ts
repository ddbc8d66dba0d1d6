/** Fills the wikis of imported groups from the bundles of their archive. */
import { findGroup } from '../../../access/find.ts'
import type { App } from '../../../app.ts'
import type { User } from '../../../db/tables.ts'
import { nullIfMissing } from '../../../failure.ts'
import { openTempFile } from '../../../store/temp-file.ts'
import { restoreWiki } from '../../documents/wikis/wikis.ts'

export interface WikiInArchive {
  group_id: number
  /** The importer. */
  user_id: number
  /** A git bundle, to which no row refers: it is removed after a day. */
  store_key: string
}

/** Does nothing if the group is gone. Safe to repeat. Throws `invalid` if it isn't a git bundle. */
export async function fillWiki(app: App, { group_id, store_key }: WikiInArchive, user: User, signal?: AbortSignal): Promise<void> {
  const found = await findGroup(app.db, String(group_id), user).catch(nullIfMissing)
  if (!found) return
  const bundle = await openTempFile(app.config.home)
  try {
    for await (const chunk of (await app.store.open(store_key)) as AsyncIterable<Buffer>) await bundle.append(chunk)
    const home = { kind: 'group', row: found.group, level: found.level } as const
    await restoreWiki(app, home, { open: (start) => bundle.open(start), user_id: user.id, signal })
  } finally {
    await bundle.close()
  }
}
