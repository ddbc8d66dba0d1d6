/** Creates the first administrator at the first start, with secrets that are shown once and saved in a file for the owner only. */
import { randomBytes } from 'node:crypto'
import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { scopes } from './access/levels.ts'
import { createToken, digestOf, newToken } from './access/tokens.ts'
import { findUser } from './access/users.ts'
import type { App } from './app.ts'
import { isUniqueViolation } from './db/database.ts'
import { renameDurably, syncFolder } from './durable.ts'
import { StartRefused } from './failure.ts'
import { createUser } from './features/people/users/users.ts'

export interface FirstSecrets {
  password: string
  token: string
  /** The file that keeps the secrets; null if both came from the configuration. */
  file: string | null
}

/** Creates `root`, "Administrator", id 1, unless there are users. Returns the secrets at the first start only. */
export async function ensureRoot(app: App): Promise<FirstSecrets | null> {
  const anybody = await app.db.selectFrom('users').select('id').executeTakeFirst()
  if (anybody) {
    await ensureConfiguredToken(app)
    return null
  }
  const { root_password, root_token, home } = app.config
  const password = root_password ?? randomBytes(15).toString('base64url')
  const token = root_token ?? newToken()
  // Written before the user is created, and renamed afterwards: a lost secret would lock everyone out.
  const file = root_password && root_token ? null : join(home, 'root-secrets')
  const draft = `${file}.${process.pid}`
  if (file) await writeFile(draft, `GITSTEAD_ROOT_PASSWORD=${password}\nGITSTEAD_ROOT_TOKEN=${token}\n`, { mode: 0o600, flush: true })
  if (file) await syncFolder(home)
  try {
    const root = await createUser(app, {
      username: 'root',
      name: 'Administrator',
      email: 'admin@example.com',
      password,
      admin: true,
      confirmed: true,
    })
    await createToken(app.db, { user_id: root.id, name: 'first token', scopes, token })
  } catch (error) {
    await rm(draft, { force: true })
    // Another process on the same database created it first.
    if (isUniqueViolation((error as Error).cause)) return null
    throw error
  }
  if (file) await renameDurably(draft, file)
  return { password, token, file }
}

/** A token that is configured at a later start is valid, too. */
async function ensureConfiguredToken(app: App): Promise<void> {
  const { root_token } = app.config
  if (!root_token) return
  const known = await app.db.selectFrom('access_tokens').select('id').where('digest', '=', digestOf(root_token)).executeTakeFirst()
  if (known) return
  const root = await findUser(app.db, 'root')
  if (!root?.admin) throw new StartRefused('GITSTEAD_ROOT_TOKEN needs a user root who is an administrator, and there is none')
  await createToken(app.db, { user_id: root.id, name: 'configured token', scopes, token: root_token })
}
