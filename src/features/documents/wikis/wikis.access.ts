/** Access to the wiki of a project or group: its pages and its repository. */
import { findWiki, mayDeletePages, mayReadWiki, mayWriteWiki, type WikiHome } from '../../../access/wikis.ts'
import { createRepository, type Repo } from '../../../git/repository/repository.ts'
import { onProjectOrGroup, type PlaceGranted, type PlaceKind } from '../../../http/declare/places.ts'
import { type Access, authenticated, type Granted, only, type SignedIn } from '../../../http/declare/rules.ts'

export interface WikiGranted extends Granted {
  /** The project or group. */
  place: WikiHome
  /** Its repository; null if nothing was ever written. */
  wiki: Repo | null
}

const readers = {
  description: 'those for whom the wiki of the project is enabled; of a group, its members and whoever may see it',
  holds: ({ place, user }: PlaceGranted) => mayReadWiki(place, user),
}
const writers = {
  description: 'developers, while it is not archived',
  holds: ({ place, user }: PlaceGranted) => mayWriteWiki(place, user),
}
const deleters = {
  description: 'maintainers, while it is not archived',
  holds: ({ place, user }: PlaceGranted) => mayDeletePages(place, user),
}

/** `read`: everyone who sees the project or group and may use its wiki. `write`: developers. `delete`: maintainers. */
export function wikiOf(kind: PlaceKind, needed: 'read'): Access<WikiGranted>
export function wikiOf(kind: PlaceKind, needed: 'write' | 'delete'): Access<WikiGranted & SignedIn>
export function wikiOf(kind: PlaceKind, needed: 'read' | 'write' | 'delete'): Access<WikiGranted> {
  const open = withWiki(only(onProjectOrGroup(kind, 'visible'), { read: readers, write: writers, delete: deleters }[needed]))
  return needed === 'read' ? open : authenticated(open)
}

function withWiki(rule: Access<PlaceGranted>): Access<WikiGranted> {
  return {
    ...rule,
    fails: ['too_large', 'unprocessable'],
    async grant(request) {
      const granted = await rule.grant(request)
      const found = await findWiki(request.app.db, granted.place)
      const wiki = found && request.openWiki(found.id)
      // A process may have died after creating the row, before the repository.
      if (wiki) await createRepository(wiki, request.app.config.default_branch)
      return { ...granted, wiki }
    },
  }
}
