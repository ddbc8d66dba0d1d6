/** The members of projects and groups, declared once: `memberPages('group', …)` are those of groups. */

import { Type } from 'typebox'
import { findGroup, findProject } from '../../access/find.ts'
import { accessLevels, memberLevels } from '../../access/levels.ts'
import { membersAddress } from '../../addresses/places.ts'
import type { App } from '../../app.ts'
import type { User } from '../../db/tables.ts'
import { invalid, nullIfMissing } from '../../failure.ts'
import { findPeople } from '../../features/people/users/users.ts'
import { changeShare, getShare, removeShare, shareGroup, shareProject } from '../../features/spaces/group-shares/group-shares.ts'
import {
  addMember,
  changeMember,
  copyMembers,
  memberInPath,
  memberOrders,
  noBot,
  notItsOwner,
  removeMember,
} from '../../features/spaces/members/members.ts'
import { t } from '../../html/sentences.ts'
import { columnsOf, managers, managing, onProjectOrGroup, type PlaceGranted, type PlaceKind } from '../../http/declare/places.ts'
import { only, self } from '../../http/declare/rules.ts'
import { nested, within } from '../../http/declare/within.ts'
import { Day, Id, nullable, oneOfDefault } from '../../http/parameters/schema.ts'
import { withoutTrailing } from '../../text/trailing.ts'
import { action, type Page, page, type Typed, type View } from '../frame/declaration.ts'
import { pageNumber } from '../frame/paging.ts'
import type { PlaceFrame } from '../frame/places.ts'
import { accessRequestPages } from './access-requests.pages.ts'
import { invitationPages } from './invitations.pages.ts'
import { membersView, type Refused, type Seen } from './members.view.ts'
import * as say from './sentences.ts'

const query = {
  ...pageNumber,
  search: Type.String({ default: '', maxLength: 255 }),
  sort: oneOfDefault('access_level_desc', ...memberOrders.filter((order) => order !== 'access_level_desc')),
}
const terms = { access_level: Type.Integer(), expires_at: Type.Optional(nullable(Day)) }

const share = nested({ group_id: Id }, async ({ place }: PlaceGranted, { group_id }, app) => ({
  share: await getShare(app, columnsOf(place), group_id),
}))

/** The members page and the actions of its forms. */
export function memberPages(kind: PlaceKind, frame: PlaceFrame): Page[] {
  const base = kind === 'project' ? '/:project/project_members' : '/groups/:group/-/group_members'
  const again = (form: Refused['form']) => async (seen: Seen, typed: Typed) =>
    frame(seen, await membersView(seen, undefined, { form, typed }))
  const managed = onProjectOrGroup(kind, managers)
  return [
    page(`GET ${base}`, {
      access: onProjectOrGroup(kind, 'signed-in'),
      query,
      show: async ({ sent, ...seen }) => frame(seen, await membersView(seen, sent)),
    }),
    action(`POST ${base}`, {
      access: managed,
      form: { user: Type.String({ default: '' }), ...terms },
      async act({ app, user, place, sent: { user: words, access_level, expires_at = null } }) {
        const { id, name } = await personCalled(app, user, words.trim())
        await addMember(app, columnsOf(place), { user_id: id, access_level, expires_at })
        return { redirect: membersAddress(place), notice: say.added(name, place.row.name) }
      },
      again: again('add'),
    }),
    ...(kind === 'project' ? [importing(again('import'))] : []),
    ...invitationPages(kind, again),
    ...accessRequestPages(kind, again('other')),
    ...sharePages(kind, again),
    action(`POST ${base}/:user_id`, {
      access: only(within(only(managed, notItsOwner), memberInPath), noBot),
      form: terms,
      async act({ app, place, member, sent: { access_level, expires_at = null } }) {
        await changeMember(app, columnsOf(place), member.user_id, { access_level, expires_at })
        return { redirect: membersAddress(place), notice: say.changed(member.name) }
      },
      again: again('other'),
    }),
    action(`POST ${base}/:user_id/remove`, {
      access: only(within(only(only(onProjectOrGroup(kind, 'signed-in'), managing, self('user_id')), notItsOwner), memberInPath), noBot),
      async act({ app, place, user, member }) {
        await removeMember(app, columnsOf(place), member.user_id)
        if (member.user_id === user.id)
          return { redirect: kind === 'project' ? '/dashboard/projects' : '/dashboard/groups', notice: say.left(place.row.name) }
        return { redirect: membersAddress(place), notice: say.removed(member.name, place.row.name) }
      },
      again: again('other'),
    }),
  ]
}

/** Exactly one person: by username or email address, or the only match. */
async function personCalled(app: App, viewer: User, typed: string): Promise<User> {
  const words = typed.replace(/^@/, '')
  const people = await findPeople(app.db, viewer, words, 2)
  const exact = people.find(({ username }) => username.toLowerCase() === words.toLowerCase())
  const found = exact ?? (words.includes('@') && people.length === 1 ? people[0] : undefined)
  if (!found) throw invalid({ user: [people.length === 0 ? say.noMatch() : say.severalMatches()] })
  return found
}

type Again = (seen: Seen, typed: Typed) => Promise<View>

function importing(again: Again): Page {
  return action('POST /:project/project_members/import', {
    access: onProjectOrGroup('project', managers),
    form: { source: Type.String({ default: '' }) },
    async act({ app, user, place, sent }) {
      const found = await findProject(app.db, pathIn(sent.source), user).catch(nullIfMissing)
      if (!found || found.project.id === place.row.id) throw invalid({ source: [t`is no other project that you can see`] })
      const number = await copyMembers(app, { project_id: found.project.id }, columnsOf(place))
      return { redirect: membersAddress(place), notice: say.imported(number) }
    },
    again,
  })
}

function sharePages(kind: PlaceKind, again: (form: Refused['form']) => Again): Page[] {
  const base = kind === 'project' ? '/:project/project_members/groups' : '/groups/:group/-/group_members/groups'
  const managed = onProjectOrGroup(kind, managers)
  const levels = memberLevels.filter((level) => kind === 'group' || level < accessLevels.owner)
  const form = { access_level: Type.Integer({ enum: levels }), expires_at: Type.Optional(nullable(Day)) }
  return [
    action(`POST ${base}`, {
      access: managed,
      form: { group: Type.String({ default: '' }), ...form },
      async act({ app, user, place, sent: { group: path, access_level, expires_at = null } }) {
        const found = await findGroup(app.db, pathIn(path), user).catch(nullIfMissing)
        if (!found) throw invalid({ group: [t`is no group that you can see`] })
        const agreed = { access_level, expires_at }
        if (place.kind === 'project') await shareProject(app, place.row, found.group, agreed)
        else await shareGroup(app, place.row, found.group, agreed)
        return { redirect: membersAddress(place), notice: say.shared(place.row.name, found.group.name) }
      },
      again: again('share'),
    }),
    action(`POST ${base}/:group_id`, {
      access: within(managed, share),
      form,
      async act({ app, place, share: { group_id }, sent: { access_level, expires_at = null } }) {
        await changeShare(app, columnsOf(place), group_id, { access_level, expires_at })
        return { redirect: membersAddress(place), notice: say.shareChanged(t`the group`) }
      },
      again: again('other'),
    }),
    action(`POST ${base}/:group_id/remove`, {
      access: within(managed, share),
      async act({ app, place, share: { group_id } }) {
        await removeShare(app.db, columnsOf(place), group_id)
        return { redirect: membersAddress(place), notice: say.unshared(place.row.name, t`the group`) }
      },
    }),
  ]
}

/** A path that somebody types or pastes; numbers would be ids. */
const pathIn = (typed: string): string => {
  const path = withoutTrailing(typed.trim().replace(/^\/+/, ''), '/')
  return /^\d+$/.test(path) ? `${path}/` : path
}
