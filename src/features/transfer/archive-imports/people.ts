/** Matches the people of an archive to users of this instance. */
import type { App } from '../../../app.ts'
import type { User } from '../../../db/tables.ts'
import type { TempFile } from '../../../store/temp-file.ts'
import { readPages } from '../archive/archive.ts'
import { usersCalled } from './restore.queries.ts'

interface Person {
  /** Null if they have no account here. */
  user_id: number | null
  name: string
}

export interface People {
  /** Null for people who aren't in the archive, or have no account here. */
  userOf: (person: number | null) => number | null
  /** The name to note on what the person wrote; null if they have an account here. */
  nameToNote: (person: number | null) => string | null
}

/**
 * If the importer is an administrator, people are matched by email address, which members have in the archive, and otherwise by username.
 * For any other importer, only the importer is matched: an archive could attribute words to other users.
 */
export async function matchPeople(app: App, importer: User, file: TempFile | undefined): Promise<People> {
  const people = new Map<number, Person>()
  if (file) {
    for await (const page of readPages('people', file)) {
      const users = importer.admin ? await usersCalled(app.db, ...wanted(page)) : [importer]
      for (const { id, name, username, email } of page) {
        const byEmail = users.find((user) => user.email_key === email?.toLowerCase())
        const byName = users.find((user) => user.username_key === username.toLowerCase())
        people.set(id, { user_id: (byEmail ?? byName)?.id ?? null, name })
      }
    }
  }
  return {
    userOf: (person) => (person === null ? null : (people.get(person)?.user_id ?? null)),
    nameToNote: (person) => {
      const found = person === null ? undefined : people.get(person)
      return found?.user_id ? null : (found?.name ?? 'somebody')
    },
  }
}

function wanted(page: Array<{ username: string; email: string | null }>): [string[], string[]] {
  return [page.map(({ username }) => username.toLowerCase()), page.flatMap(({ email }) => email?.toLowerCase() ?? [])]
}
