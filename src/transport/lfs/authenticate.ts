/** `git-lfs-authenticate`: large files travel by HTTP, and who came by SSH gets a token for that. */
import type { App } from '../../app.ts'
import { Failure } from '../../failure.ts'
import type { Caller } from '../ssh/run-command.ts'

/** What the client of git-lfs is told: where the large files of the project are, and by which header it gets them. */
export interface LfsAddress {
  href: string
  header: Record<string, string>
  /** In seconds. */
  expires_in: number
}

export async function authenticateLfs(_app: App, _caller: Caller, _path: string, _operation: 'download' | 'upload'): Promise<LfsAddress> {
  throw new Failure('not_found', 'Large files are not served yet.')
}
