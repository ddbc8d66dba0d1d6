/** Everybody with every level, in every relation, by every act: compared with a model that is written from the guide, a user at a time. */
import { expect, test } from 'vitest'
import { type Forge, type TestProject, type TestUser, testForge } from '../../../../test/support/forge.ts'
import { inFullRun } from '../../../../test/support/run/tiers.ts'
import { findProject } from '../../../access/find.ts'
import { everything } from '../../../access/visible.ts'
import { now } from '../../../db/instants.ts'
import type { NotificationLevel } from '../../../db/tables.ts'
import { findNoteable } from '../../noteable-kinds.ts'
import type { NotificationSwitch } from '../../spaces/notification-settings/notification-settings.ts'
import { type Act, plain } from './notices.ts'
import { recipientsOf, type Subject } from './recipients.service.ts'

const levels: NotificationLevel[] = ['disabled', 'participating', 'watch', 'mention', 'custom', 'global']
const relations = [
  'none',
  'assignee',
  'commenter',
  'mentioned before',
  'named now',
  'subscribed',
  'unsubscribed',
  'left',
  'taking part, unsubscribed',
] as const
type Relation = (typeof relations)[number]

/** The switch of each act. */
const acts: Partial<Record<Act, NotificationSwitch>> = {
  note: 'new_note',
  close: 'close_issue',
  reopen: 'reopen_issue',
  due: 'issue_due',
  mention: 'new_note',
}

/** As docs/mail.md has it; the level `global` is what holds everywhere, and nobody here chose anything there. */
function hears(level: NotificationLevel, relation: Relation, act: Act, switchIsOn: boolean): boolean {
  if (relation === 'left') return false
  const isNamed = relation === 'named now' && (act === 'note' || act === 'mention')
  // An edit tells those whom it names alone.
  if (act === 'mention') return isNamed && level !== 'disabled'
  if (relation === 'subscribed') return true
  if (level === 'disabled') return false
  if (isNamed) return true
  if (relation.includes('unsubscribed') || level === 'mention') return false
  const takesPart = relation === 'assignee' || relation === 'commenter' || relation === 'mentioned before'
  if (takesPart) return true
  if (level === 'watch') return act !== 'due'
  return level === 'custom' && switchIsOn
}

interface Case {
  user: TestUser
  level: NotificationLevel
  relation: Relation
  isOn: boolean
}

interface Stage {
  forge: Forge
  project: TestProject
  issue: { id: number; iid: number }
}

/** Brings a user into each relation by the shortest way, usually a row. */
const ways: Partial<Record<Relation, (stage: Stage, user: TestUser) => Promise<unknown>>> = {
  assignee: ({ forge, issue }, { id }) => forge.app.db.insertInto('issue_assignees').values({ issue_id: issue.id, user_id: id }).execute(),
  commenter: ({ forge, project, issue }, user) =>
    forge.as(user).post(`/projects/${project.id}/issues/${issue.iid}/notes`, { body: 'Mine' }),
  'mentioned before': mention,
  'taking part, unsubscribed': async (stage, user) => [await mention(stage, user), await choose(stage, user, false)],
  subscribed: (stage, user) => choose(stage, user, true),
  unsubscribed: (stage, user) => choose(stage, user, false),
}

function mention({ forge, issue }: Stage, { id }: TestUser) {
  return forge.app.db.insertInto('issue_mentions').values({ issue_id: issue.id, user_id: id, internal: false }).execute()
}

function choose({ forge, issue }: Stage, { id }: TestUser, subscribed: boolean) {
  const row = { issue_id: issue.id, merge_request_id: null, user_id: id, label_id: null, project_id: null, subscribed, created_at: now() }
  return forge.app.db.insertInto('subscriptions').values(row).execute()
}

async function castOf(stage: Stage): Promise<Case[]> {
  const { db } = stage.forge.app
  const cases: Case[] = []
  for (const level of levels)
    for (const relation of relations)
      for (const isOn of level === 'custom' ? [true, false] : [false]) {
        const user = await stage.forge.user()
        const at = { project_id: stage.project.id, namespace_id: null, user_id: user.id }
        const switches = JSON.stringify(Object.fromEntries(Object.values(acts).map((name) => [name, isOn])))
        await db
          .insertInto('notification_settings')
          .values({ ...at, level, switches, updated_at: now() })
          .execute()
        const member = { ...at, access_level: 20, expires_at: null, created_at: now() }
        if (relation !== 'left') await db.insertInto('members').values(member).execute()
        await ways[relation]?.(stage, user)
        cases.push({ user, level, relation, isOn })
      }
  return cases
}

test(
  'levels × relations × acts: those hear whom the model says',
  inFullRun('1.5 s of processor. `wanted.test.ts` has the rules, `activity-mails.test.ts` the way.'),
  async () => {
    const forge = await testForge()
    const { db, config } = forge.app
    const owner = await forge.user()
    const project = await forge.project({ owner, visibility: 'private', files: null })
    const issue = await forge.issue(project, owner)
    const cases = await castOf({ forge, project, issue })
    const named = cases.filter(({ relation }) => relation === 'named now').map(({ user }) => user)
    const names = named.map(({ username }) => username)
    const body = names.map((name) => `@${name}`).join(' ')
    const { body: note } = await forge.as(owner).post(`/projects/${project.id}/issues/${issue.iid}/notes`, { body })
    // A mention only counts as participation from the next event on, so the rows are removed again.
    const ids = named.map(({ id }) => id)
    await db.deleteFrom('issue_mentions').where('user_id', 'in', ids).execute()
    const about = await findNoteable(db, { issue_id: issue.id })
    const located = (await findProject(db, String(project.id), everything)).project
    const written = await db.selectFrom('notes').selectAll().where('id', '=', note.id).executeTakeFirstOrThrow()
    for (const act of Object.keys(acts) as Act[]) {
      const isNote = act === 'note'
      const subject = { ...about, project: located, note: isNote ? written : null, commit: null } as Subject
      const on = { kind: 'issue', id: issue.id } as const
      const notice = { ...plain, act, on, actor_id: owner.id, at: now(), note_id: isNote ? written.id : null, names }
      const found = new Set((await recipientsOf(db, notice, subject, config.url)).map(({ id }) => id))
      for (const { user, level, relation, isOn } of cases)
        expect(found.has(user.id), `${act} ${level} ${relation} ${isOn}`).toBe(hears(level, relation, act, isOn))
    }
  },
)
