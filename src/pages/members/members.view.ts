/** The page of the members of a project or group. */

import { everything } from '../../access/visible.ts'
import { membersAddress } from '../../addresses/places.ts'
import type { User } from '../../db/tables.ts'
import { findPeople, presentUserBrief } from '../../features/people/users/users.ts'
import { listRequesters } from '../../features/spaces/access-requests/access-requests.ts'
import { listShares } from '../../features/spaces/group-shares/group-shares.ts'
import { listInvitations } from '../../features/spaces/invitations/invitations.ts'
import { listMembersWithSources, type MemberOrder, type Whole } from '../../features/spaces/members/members.ts'
import { appearanceOf } from '../../features/storage/appearance/appearance.ts'
import { type Html, html } from '../../html/html.ts'
import { t } from '../../html/sentences.ts'
import { columnsOf, manages, type Place } from '../../http/declare/places.ts'
import { pageFrom } from '../../http/reply/page.ts'
import type { Typed, View, Visit } from '../frame/declaration.ts'
import { field, form, postButton, problemsOf, select, untouched } from '../frame/forms.ts'
import { pagesBelow } from '../frame/paging.ts'
import { isolated } from '../frame/parts.ts'
import { proseOf } from '../frame/texts.ts'
import { invitationForm, invitationRows } from './invitations.view.ts'
import { accessRequestRows, type MembersPage, memberFilters, memberRows, shareRows } from './member-list.ts'
import { choosePerson, expiryHint, groupHint, roleChoices, roleHint, sourceHint, userHint } from './sentences.ts'

const perPage = 50
/** Limit of access requests: few are ever pending. */
const maxAccessRequests = 100
const maxInvitations = 100
const maxMatches = 10

export type Seen = Visit & { place: Place; user: User }

/** Which form of the page was rejected. */
export interface Refused {
  form: 'add' | 'invite' | 'share' | 'import' | 'other'
  typed: Typed
}

export interface MembersQuery {
  page: number
  search: string
  sort: MemberOrder
}

const firstMembers: MembersQuery = { page: 1, search: '', sort: 'access_level_desc' }

export async function membersView(
  { app, place, user, token }: Seen,
  query: MembersQuery = firstMembers,
  refused: Refused | null = null,
): Promise<Omit<View, 'above'>> {
  const address = membersAddress(place)
  const viewer = manages(place) ? everything : user
  const sought = { words: query.search.trim() || undefined, actor: user }
  const { limit, offset } = pageFrom({ page: query.page, per_page: perPage })
  const columns = columnsOf(place)
  const [members, shares, requests, invited] = await Promise.all([
    listMembersWithSources(app.db, viewer, wholeOf(place), sought, { limit, offset, order: query.sort }),
    listShares(app.db, user, columns),
    manages(place) ? listRequesters(app.db, columns, { limit: maxAccessRequests, offset: 0 }) : { rows: [], total: 0 },
    manages(place) ? listInvitations(app.db, columns, undefined, { limit: maxInvitations, offset: 0 }) : { rows: [], total: 0 },
  ])
  const page: MembersPage = { app, place, user, address, token }
  const filtered = `${address}?${new URLSearchParams({ search: query.search, sort: query.sort })}`
  const main = html`
    <h1>Members</h1>
    ${refused?.form === 'other' && problemsOf(refused.typed.errors, [])}
    ${manages(place) && html`${await proseOf(appearanceOf(app).member_guidelines)}${await formsOf(page, refused)}`}
    ${requests.total > 0 && html`<h2>Access requests</h2>${accessRequestRows(page, requests.rows)}`}
    ${invited.total > 0 && html`<h2>Invitations</h2>${invitationRows(page, invited.rows)}`}
    ${shares.length > 0 && html`<h2>Shared with groups</h2>${shareRows(page, shares)}`}
    ${shares.length + invited.total > 0 && html`<h2>People</h2>`}
    ${memberFilters(address, query)}${memberRows(page, members.rows, query.search)}
    ${pagesBelow(filtered, { page: query.page, per_page: perPage, total: members.total })}
  `
  return { title: t`Members`, main }
}

function wholeOf({ kind, row }: Place): Whole {
  return kind === 'group' ? { namespace_id: row.id, project_id: null } : { namespace_id: row.namespace_id, project_id: row.id }
}

/** The forms for users who manage the place, each behind its summary. */
async function formsOf(page: MembersPage, refused: Refused | null): Promise<Html> {
  const { app, place, address, token } = page
  const typedIn = (name: Refused['form']) => (refused?.form === name ? refused.typed : untouched)
  const panel = (name: Refused['form'], summary: string, content: Html) =>
    html`<details class="panel"${refused?.form === name && html` open`}><summary>${summary}</summary>${content}</details>`
  const levels = roleChoices(place.kind)
  const add = typedIn('add')
  const share = typedIn('share')
  const source = typedIn('import')
  return html`
    <div class="panels">
      ${panel(
        'add',
        t`Add a member`,
        html`
          ${problemsOf(add.errors, ['user', 'access_level', 'expires_at'])}${await matchesOf(page, refused)}${form(
            { action: address, token, submit: t`Add` },
            html`
              ${field(t`Person`, 'user', add, { required: true, hint: userHint(), id: 'add-', autocomplete: 'off' })}
              ${select(t`Role`, 'access_level', add, levels, { value: '30', hint: roleHint(), id: 'add-' })}
              ${field(t`Until`, 'expires_at', add, { type: 'date', hint: expiryHint(), id: 'add-' })}
            `,
          )}
        `,
      )}
      ${app.mailer !== null && panel('invite', t`Invite by mail`, invitationForm(page, typedIn('invite')))}
      ${panel(
        'share',
        t`Share with a group`,
        html`
          ${problemsOf(share.errors, ['group', 'access_level', 'expires_at'])}${form(
            { action: `${address}/groups`, token, submit: t`Share` },
            html`
              ${field(t`Group`, 'group', share, { required: true, hint: groupHint(), id: 'share-' })}
              ${select(t`Highest role`, 'access_level', share, levels, { value: '30', id: 'share-' })}
              ${field(t`Until`, 'expires_at', share, { type: 'date', hint: expiryHint(), id: 'share-' })}
            `,
          )}
        `,
      )}
      ${
        place.kind === 'project' &&
        panel(
          'import',
          t`Import members`,
          html`
            ${problemsOf(source.errors, ['source'])}${form(
              { action: `${address}/import`, token, submit: t`Import` },
              html`${field(t`Project`, 'source', source, { required: true, hint: sourceHint(), id: 'import-' })}`,
            )}
          `,
        )
      }
    </div>
  `
}

/** The users whom somebody may have meant who typed part of a name. */
async function matchesOf({ app, user, address, token }: MembersPage, refused: Refused | null): Promise<Html | null> {
  if (refused?.form !== 'add' || !refused.typed.errors.of.user) return null
  const { user: words = '', access_level = '30', expires_at = '' } = refused.typed.values
  const people = await findPeople(app.db, user, words, maxMatches)
  if (people.length === 0) return null
  return html`
    <p>${choosePerson()}</p>
    <ul class="rows people">
      ${people.map((person) => {
        const { name, username } = presentUserBrief(app.config, person)
        return html`
          <li>
            <div class="what">${isolated(name)} <span class="hint">@${username}</span></div>
            ${postButton(html`Add<span class="unseen"> ${name}</span>`, {
              action: address,
              token,
              fields: { user: username, access_level, expires_at },
            })}
          </li>
        `
      })}
    </ul>
  `
}
