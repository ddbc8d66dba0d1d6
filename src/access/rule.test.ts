/** Each rule is one value: what it hides in a list it hides in a single read, whoever looks and however the project is set. */
import { beforeAll, expect, test } from 'vitest'
import { type Forge, type TestProject, type TestUser, testForge } from '../../test/support/forge.ts'
import { now } from '../db/instants.ts'
import type { FeatureLevel, Project, Visibility } from '../db/tables.ts'
import { findProject } from './find.ts'
import { canSeeIssue } from './issues.ts'
import { withMemberships } from './memberships.ts'
import { all, allowed, any, feature, holds, open, type Rule } from './rule.ts'
import { allEventsRule, codeRule, jobRule, jobsOfMemberRule, mergeRequestRule } from './rules.ts'
import { issuesVisibleTo, type Viewer, visibleBy } from './visible.ts'

let forge: Forge
let projects: TestProject[]
let viewers: Array<[string, Viewer]>
let guest: TestUser

const settings = [
  ['enabled', 'enabled'],
  ['private', 'enabled'],
  ['enabled', 'private'],
  ['disabled', 'private'],
  ['private', 'disabled'],
] as const satisfies Array<readonly [FeatureLevel, FeatureLevel]>

beforeAll(async () => {
  forge = await testForge()
  const [reporter, owner] = [await forge.user(), await forge.user()]
  guest = await forge.user()
  const external = await forge.user({ external: true })
  const outsider = await forge.user({ external: true })
  projects = []
  for (const visibility of ['public', 'internal', 'private'] satisfies Visibility[]) {
    for (const [own, other] of settings) {
      const project = await forge.project({ files: null, visibility, owner, guest, reporter })
      const levels = {
        issues_access_level: own,
        repository_access_level: other,
        merge_requests_access_level: own,
        snippets_access_level: other,
        builds_access_level: own,
        public_jobs: other === 'enabled',
      }
      await forge.app.db.updateTable('projects').set(levels).where('id', '=', project.id).execute()
      projects.push(project)
    }
  }
  // A member in every fifth, and a guest by a share in none.
  await forge.app.db
    .insertInto('members')
    .values(
      projects
        .filter((_, index) => index % 5 < 2)
        .map(({ id }) => ({
          project_id: id,
          namespace_id: null,
          user_id: external.id,
          access_level: 10,
          expires_at: null,
          created_at: now(),
        })) as never,
    )
    .execute()
  const users = { guest, reporter, owner, external, outsider, stranger: await forge.user(), administrator: forge.root }
  viewers = [['anybody', null], ...Object.entries(users)]
})

const rules: Record<string, Rule<Pick<Project, 'public_jobs'>>> = {
  code: codeRule,
  merge_requests: mergeRequestRule,
  events: allEventsRule,
  jobs: jobRule,
  jobs_of_members: jobsOfMemberRule,
  issues: feature('issues'),
  confidential: allowed('read_confidential_issues'),
  open,
  // No noun has rules of these shapes yet. They check that knowledge from one branch of a rule doesn't reach the other.
  either: any(all(allowed('edit_project'), feature('issues')), feature('snippets')),
  nested: all(any(allowed('read_code'), feature('issues')), feature('merge_requests'), any(open, allowed('push_code'))),
  nothing: any(),
}

async function accessOf({ id }: TestProject, viewer: Viewer) {
  return findProject(forge.app.db, String(id), viewer).catch(() => null)
}

test('a rule gives the same projects as a condition and as a check', async () => {
  const { db } = forge.app
  const ids = projects.map(({ id }) => id)
  for (const [who, viewer] of viewers) {
    const access = await Promise.all(projects.map((project) => accessOf(project, viewer)))
    const withKnown = await withMemberships<Viewer>(db, viewer)
    for (const [name, rule] of Object.entries(rules)) {
      const checked = ids.filter((_, index) => access[index] && holds(rule, access[index], viewer, access[index].project))
      for (const one of [viewer, withKnown]) {
        const listed = await db
          .selectFrom('projects')
          .select('id')
          .where('id', 'in', ids)
          .where(visibleBy(rule, one))
          .orderBy('id')
          .execute()
        expect([who, name, listed.map(({ id }) => id)]).toEqual([who, name, checked])
      }
    }
  }
})

test('issues are the same in lists and alone: plain, confidential, written by and assigned to who looks', async () => {
  const { db } = forge.app
  const ids = projects.map(({ id }) => id)
  const at = now()
  const made = await db
    .insertInto('issues')
    .values(
      projects.flatMap(({ id: project_id }) =>
        [
          [1, false, forge.root.id],
          [2, true, forge.root.id],
          [3, true, guest.id],
          [4, true, forge.root.id],
        ].map(([iid, confidential, author_id]) => ({
          project_id,
          iid,
          confidential,
          author_id,
          title: 'One',
          created_at: at,
          updated_at: at,
        })),
      ) as never,
    )
    .returningAll()
    .execute()
  const assigned = made.filter(({ iid }) => iid === 4)
  await db
    .insertInto('issue_assignees')
    .values(assigned.map(({ id }) => ({ issue_id: id, user_id: guest.id })) as never)
    .execute()
  for (const [who, viewer] of viewers) {
    const listed = await db
      .selectFrom('issues')
      .innerJoin('projects', 'projects.id', 'issues.project_id')
      .select('issues.id')
      .where('issues.project_id', 'in', ids)
      .where(issuesVisibleTo(viewer))
      .execute()
    const seen = new Set(listed.map(({ id }) => id))
    const access = new Map(await Promise.all(projects.map(async (project) => [project.id, await accessOf(project, viewer)] as const)))
    for (const issue of made) {
      const found = access.get(issue.project_id) ?? null
      const alone = found !== null && canSeeIssue(found, issue, issue.iid === 4 ? [guest.id] : [], viewer)
      expect([who, issue.project_id, issue.iid, seen.has(issue.id)]).toEqual([who, issue.project_id, issue.iid, alone])
    }
  }
})
