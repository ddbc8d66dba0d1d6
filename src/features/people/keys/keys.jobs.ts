/** Maintains the authorized_keys file, for sites with their own SSH server. */
import { createHash, randomUUID } from 'node:crypto'
import { open, readFile, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { App } from '../../../app.ts'
import { createFoldersDurably, renameDurably, syncFolder } from '../../../durable.ts'
import { type AnyJob, job } from '../../../queue/queue.ts'
import { readSettings, type Settings } from '../../instance/settings/settings.ts'
import { authorizedKeyLine } from './authorized-keys.ts'
import { deleteOrphans, keysAfter } from './keys.queries.ts'
import { fieldErrorOf } from './keys.rules.ts'

const day_ms = 24 * 3_600_000

/** Also runs daily, as keys are deleted with their projects and users. */
export const authorizedKeysJob = job<object>('keys.authorized_keys', {
  key: () => 'keys.authorized_keys',
  at_start: true,
  every_ms: day_ms,
  async handle(app) {
    await deleteOrphans(app.db, { made_before: new Date(Date.now() - day_ms).toISOString() })
    // Another process may have written an older state after us: then the file is not what we wrote last, and this repeats.
    for (let written = ''; ; ) {
      const digest = await writeAuthorizedKeys(app)
      if (digest === written) return
      written = digest
    }
  },
})

export const keyJobs: AnyJob[] = [authorizedKeysJob]

/** A file without this line belongs to someone else and is never overwritten: that would lock people out of the machine. */
const firstLine = '# Kept by Gitstead. Whatever is written here by hand is lost.\n'

/** Updates the file, completely or not at all, and returns the digest of its content; empty if there is to be none. */
async function writeAuthorizedKeys(app: App): Promise<string> {
  const { authorized_keys: file, home } = app.config
  const settings = await readSettings(app.db)
  await assertMayUnlock(file)
  if (!settings.authorized_keys_enabled) {
    await rm(file, { force: true })
    await syncFolder(dirname(file)).catch(nullIfNoFolder)
    return ''
  }
  await createFoldersDurably(dirname(file), 0o700)
  const draft = `${file}.${randomUUID()}`
  try {
    const digest = createHash('sha256')
    const out = await open(draft, 'wx', 0o600)
    try {
      for await (const text of texts(app, settings, home)) {
        digest.update(text)
        await out.write(text)
      }
      await out.sync()
    } finally {
      await out.close()
    }
    await renameDurably(draft, file)
    return digest.digest('hex')
  } finally {
    await rm(draft, { force: true })
  }
}

/** If the folder is missing, there is no file. */
function nullIfNoFolder(error: NodeJS.ErrnoException): null {
  if (error.code === 'ENOENT') return null
  throw error
}

async function assertMayUnlock(file: string): Promise<void> {
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return ''
    throw error
  })
  if (text !== '' && !text.startsWith(firstLine)) {
    throw new Error(`${file} was not written by Gitstead: move it away, or set GITSTEAD_AUTHORIZED_KEYS to another file`)
  }
}

const keysAtOnce = 1_000

/** The file in pieces: there may be too many keys for memory. */
async function* texts(app: App, settings: Settings, home: string): AsyncGenerator<string> {
  yield firstLine
  let last = 0
  for (;;) {
    const rows = await keysAfter(app.db, last, keysAtOnce)
    const usable = rows.filter((row) => fieldErrorOf(settings, row) === null)
    yield usable.map((row) => `${authorizedKeyLine(home, row)}\n`).join('')
    if (rows.length < keysAtOnce) return
    last = rows.at(-1)?.id ?? last
  }
}
