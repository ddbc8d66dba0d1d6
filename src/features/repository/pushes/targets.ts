/** Targets of pushes: the repository of a project or a wiki. Each decides what is denied, and records what happened. */
import { type WikiHome, wikiPath } from '../../../access/wikis.ts'
import type { App } from '../../../app.ts'
import type { Tx } from '../../../db/database.ts'
import { now } from '../../../db/instants.ts'
import type { User, Wiki } from '../../../db/tables.ts'
import type { RefChange } from '../../../git/refs/ref-updates.ts'
import type { Repo } from '../../../git/repository/repository.ts'
import { type Room, roomsOf, warningsIn } from '../../storage/quotas/quotas.ts'
import { type Protocol, refusalOf, refusalOfAll } from './allowed-changes.ts'
import type { Pusher } from './pusher.ts'
import type { IntentOwner } from './pushes.queries.ts'
import { recordPush } from './record.ts'
import { recordWikiPush } from './wiki-record.ts'
import { refusalOfWiki, refusalOfWikiChanges } from './wiki-rules.ts'

export interface PushTarget {
  user: User
  repo: Repo
  /** For logs. */
  path: string
  owner: IntentOwner
  /** Why this user may change no refs at all. */
  refusalOfAll: () => Promise<string | null>
  /** Why these changes are denied. */
  refusalOf: (changes: RefChange[], protocol: Protocol) => Promise<string | null>
  record: (changes: RefChange[], intent: number | null, recording: Recording) => Promise<void>
  /** Sentences for the user who has pushed. */
  notesAfter: () => Promise<string[]>
}

/** Additions to the record of a push. */
export interface Recording {
  /** Writes related rows in the same transaction. */
  also?: ((tx: Tx) => Promise<void>) | undefined
  /** Sealed (`pusher.ts`); wikis ignore them. */
  push_options?: string | null
}

export function projectTarget(app: App, pusher: Pusher): PushTarget {
  const { project, user } = pusher
  // Asked once for a push: the check before it serves the warning after it.
  let asked: Promise<Room[]> | null = null
  const rooms = () => {
    asked ??= roomsOf(app, project)
    return asked
  }
  return {
    user,
    repo: app.git.open(project.id),
    path: project.full_path,
    owner: { project_id: project.id },
    refusalOfAll: () => refusalOfAll(app, pusher),
    refusalOf: (changes, protocol) => refusalOf(app, pusher, changes, protocol, rooms),
    record: (changes, intent, { also, push_options = null }) =>
      recordPush(app, { ...pusher, push_options }, changes, intent, undefined, also),
    notesAfter: async () => warningsIn(await rooms()),
  }
}

/** The user who changes refs, and the wiki of these refs. */
export interface WikiPusher {
  user: User
  home: WikiHome
  wiki: Wiki
}

export function wikiTarget(app: App, pusher: WikiPusher): PushTarget {
  const { user, home, wiki } = pusher
  return {
    user,
    repo: app.git.openWiki(wiki.id),
    path: wikiPath(home.row),
    owner: { wiki_id: wiki.id },
    refusalOfAll: async () => refusalOfWiki(home, user),
    refusalOf: (changes, protocol) => refusalOfWikiChanges(app.git.openWiki(wiki.id), pusher, changes, protocol),
    record: (changes, intent, { also }) => recordWikiPush(app, { wiki_id: wiki.id, user_id: user.id }, changes, intent, now(), also),
    notesAfter: async () => [],
  }
}
