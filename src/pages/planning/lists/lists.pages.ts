/** The pages of a list for projects, groups and the dashboard; their feeds; and the form for bulk changes. */

import { type Static, type TObject, type TProperties, Type } from 'typebox'
import { webUrl } from '../../../addresses/links.ts'
import type { App } from '../../../app.ts'
import type { User } from '../../../db/tables.ts'
import { invalid, unauthorized } from '../../../failure.ts'
import { onProjectOrGroup, type Place } from '../../../http/declare/places.ts'
import { type Access, anyone, type ProjectGranted, type SignedIn, signedIn } from '../../../http/declare/rules.ts'
import { Id } from '../../../http/parameters/schema.ts'
import { entriesPerFeed, feedReply, tagUri } from '../../feeds/atom.ts'
import { principalByFeedToken as principalBy } from '../../feeds/feed-caller.ts'
import { ownAddress } from '../../frame/addresses.ts'
import { action, type Bytes, type Page, page } from '../../frame/declaration.ts'
import type { Sent } from './filters.ts'
import { listView } from './list-view.ts'
import { type Listing, listedAt } from './listing.ts'
import { newLabelsField, refuseNewLabels } from './names.ts'
import { sentences } from './sentences.ts'

const ofGroup = onProjectOrGroup('group', 'visible')

/** At the URL of each place. `query` are the parameters of the list. */
export function listPages<Q extends TProperties, F, D>(listing: Listing<Static<TObject<Q>> & Sent, F, D>, query: Q): Page[] {
  const { name, ofProject } = listing
  type S = Static<TObject<Q>> & Sent
  return [
    page(`GET /dashboard/${name}`, {
      access: signedIn(),
      query,
      show: ({ sent, ...context }) => listView(listing, { ...context, place: null }, sent as S),
    }),
    page(`GET /groups/:group/-/${name}`, {
      access: ofGroup,
      query,
      show: ({ sent, ...context }) => listView(listing, context, sent as S),
    }),
    page(`GET /:project/${name}`, {
      access: ofProject,
      query,
      show: ({ sent, project: row, level, ...context }) =>
        listView(listing, { ...context, place: { kind: 'project', row, level } }, sent as S),
    }),
  ]
}

/** `place` is null for the dashboard. */
export interface Asked {
  app: App
  user: User | null
  place: Place | null
}

type Answer<S> = (asked: Asked, sent: S) => Promise<Bytes>

/** Feeds and calendars of the same lists, for programs: authenticated by a session or by the feed token of a user. */
export function feedsOf<Q extends TProperties, F, D>(
  { name, ofProject }: Listing<Static<TObject<Q>> & Sent, F, D>,
  query: Q,
  ending: 'atom' | 'ics',
  answer: Answer<Static<TObject<Q>> & Sent>,
): Page[] {
  type S = Static<TObject<Q>> & Sent
  return [
    page(`GET /dashboard/${name}.${ending}`, {
      access: anyone(),
      principalBy,
      query,
      show: ({ sent, app, user }) => answer({ app, user: signedInAs(user), place: null }, sent as S),
    }),
    page(`GET /groups/:group/-/${name}.${ending}`, {
      access: ofGroup,
      principalBy,
      query,
      show: ({ sent, app, user, place }) => answer({ app, user, place }, sent as S),
    }),
    page(`GET /:project/${name}.${ending}`, {
      access: ofProject,
      principalBy,
      query,
      show: ({ sent, app, user, project: row, level }) => answer({ app, user, place: { kind: 'project', row, level } }, sent as S),
    }),
  ]
}

/** Feed readers can't use the sign-in page. */
function signedInAs(user: User | null): User {
  if (!user) throw unauthorized()
  return user
}

/** Newest first. At most four statements, and those that describe the entries. */
export function atomPages<Q extends TProperties, F, D>(listing: Listing<Static<TObject<Q>> & Sent, F, D>, query: Q): Page[] {
  return feedsOf(listing, query, 'atom', async (asked, sent) => {
    const { app, user, place } = asked
    const { name } = listing
    const { scope } = listedAt(name, place, user)
    const { id, created_at, title, path } = aboutOf(listing, asked)
    const filter = listing.filterOf(sent, place)
    const found = filter ? (await listing.find(app, user, scope, filter, { limit: entriesPerFeed, offset: 0 })).rows : []
    const address = webUrl(app.config, path)
    const entries = found.map((one) => listing.entry(app, one))
    const own = tagUri(app.config, created_at, ...id, name)
    return { bytes: feedReply({ id: own, title, self: `${address}.atom`, page: address, updated: created_at, entries }) }
  })
}

/** The id and URLs of the list in a feed. */
export function aboutOf({ name, words }: Pick<Listing<Sent, never, never>, 'name' | 'words'>, { place, user }: Asked) {
  const path = listedAt(name, place, user).address.slice(1)
  if (place) {
    const { id, created_at, full_path } = place.row
    return { id: [place.kind, id], created_at, title: words().ofPlace(full_path), path }
  }
  const { id, created_at, name: own } = signedInAs(user)
  return { id: ['dashboard', id], created_at, title: words().ofUser(own), path }
}

const maxSelected = 100
const iids = Type.Array(Id, { default: [], maxItems: maxSelected })

/** An empty field changes nothing. */
const manyFields = {
  issues: iids,
  merge_requests: iids,
  back: Type.String({ default: '', maxLength: 8_000 }),
  state_event: Type.Unsafe<'' | 'close' | 'reopen'>({ type: 'string', enum: ['', 'close', 'reopen'], default: '' }),
  assignee: Type.String({ default: '', maxLength: 300 }),
  milestone_id: Type.Optional(Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER })),
  add_labels: Type.String({ default: '', maxLength: 20_000 }),
  remove_labels: Type.String({ default: '', maxLength: 20_000 }),
  ...newLabelsField,
}

/** The changes to all selected rows; an empty `assignee` removes it. */
export interface ManyChange {
  assignee?: string
  milestone_id?: number
  state_event?: 'close' | 'reopen'
  add_labels?: string[]
  remove_labels?: string[]
}

type Changing = { app: App } & ProjectGranted & SignedIn

interface Many {
  access: Access<ProjectGranted & SignedIn>
  noneSelected: () => string
  /** Applies the changes, and describes what was done. */
  change: (context: Changing, iids: number[], change: ManyChange) => Promise<string>
}

export function manyPages<S extends Sent, F, D>(listing: Listing<S, F, D>, { access, noneSelected, change }: Many): Page[] {
  const { name } = listing
  return [
    action(`POST /:project/${name}/bulk_update`, {
      access,
      form: manyFields,
      async act({ sent, ...context }) {
        const { back, state_event, assignee, milestone_id, add_labels, remove_labels, create_labels } = sent
        if (sent[name].length === 0) throw invalid(noneSelected())
        await refuseNewLabels(context.app, context.project, { add_labels }, create_labels)
        const chosen: ManyChange = {
          ...(assignee.trim() !== '' && { assignee: /^ *none *$/i.test(assignee) ? '' : assignee }),
          ...(milestone_id !== undefined && { milestone_id }),
          ...(state_event !== '' && { state_event }),
          ...(add_labels.trim() !== '' && { add_labels: [add_labels] }),
          ...(remove_labels.trim() !== '' && { remove_labels: [remove_labels] }),
        }
        if (Object.keys(chosen).length === 0) throw invalid(sentences.nothingToChange)
        const notice = await change(context, sent[name], chosen)
        return { redirect: ownAddress(back) ?? `/${context.project.full_path}/${name}`, notice }
      },
      again: ({ project: row, level, ...context }, typed) =>
        listView(listing, { ...context, place: { kind: 'project', row, level } }, listing.read(ownAddress(typed.values.back) ?? ''), typed),
    }),
  ]
}
