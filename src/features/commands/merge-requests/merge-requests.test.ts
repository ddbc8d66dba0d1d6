/** Creating, reading, editing and deleting merge requests: who may set what, and what is refused. */
import { beforeAll, describe, expect, test } from 'vitest'
import { type Forge, type TestProject, type TestUser, testForge } from '../../../../test/support/forge.ts'
import { git } from '../../../../test/support/git.ts'

let forge: Forge
let owner: TestUser
let developer: TestUser
let reporter: TestUser
let guest: TestUser
let stranger: TestUser
let project: TestProject
let at: string
let counter = 0

beforeAll(async () => {
  forge = await testForge()
  ;[owner, developer, reporter, guest, stranger] = await Promise.all([forge.user(), forge.user(), forge.user(), forge.user(), forge.user()])
  project = await forge.project({
    owner,
    developer,
    reporter,
    guest,
    visibility: 'public',
    commits: [{ message: 'First', files: { 'README.md': 'one\n' } }],
  })
  await forge.as(owner).post(`/projects/${project.id}/repository/commits`, {
    branch: 'topic',
    start_branch: 'main',
    commit_message: 'Second',
    actions: [
      { action: 'update', file_path: 'README.md', content: 'two\n' },
      { action: 'create', file_path: 'other', content: 'x\n' },
    ],
  })
  at = `/projects/${project.id}/merge_requests`
})

/** A branch at the tip of `topic`. */
async function branch(): Promise<string> {
  const name = `topic-${++counter}`
  await git(project.dir, 'update-ref', `refs/heads/${name}`, await git(project.dir, 'rev-parse', 'topic'))
  return name
}

async function create(user: TestUser, fields: Record<string, unknown> = {}) {
  return forge.as(user).post(at, { source_branch: await branch(), target_branch: 'main', title: 'It', ...fields })
}

describe('a merge request', () => {
  test('is created with everything that a developer may set, and shown so', async () => {
    const { body: milestone } = await forge.as(owner).post(`/projects/${project.id}/milestones`, { title: 'One' })
    const source_branch = await branch()
    const created = await forge.as(developer).post(at, {
      source_branch,
      target_branch: 'main',
      title: ' WIP: New ',
      description: 'It is *better*\n\n- [x] done\n- [ ] to do',
      labels: 'b, a?,a&b',
      assignee_id: owner.id,
      reviewer_ids: [reporter.id, guest.id],
      milestone_id: milestone.id,
      remove_source_branch: true,
      squash: 'true',
    })
    const [head, base] = [await git(project.dir, 'rev-parse', 'topic'), await git(project.dir, 'rev-parse', 'main')]
    expect([created.status, created.body]).toMatchObject([
      201,
      {
        title: 'WIP: New',
        description: 'It is *better*\n\n- [x] done\n- [ ] to do',
        state: 'opened',
        draft: true,
        work_in_progress: true,
        author: { id: developer.id },
        assignee: { id: owner.id },
        assignees: [{ id: owner.id }],
        reviewers: [reporter.id, guest.id].sort((a, b) => a - b).map((id) => ({ id })),
        labels: ['a&b', 'a?', 'b'],
        milestone: { id: milestone.id },
        source_branch,
        target_branch: 'main',
        project_id: project.id,
        source_project_id: project.id,
        target_project_id: project.id,
        sha: head,
        diff_refs: { base_sha: base, start_sha: base, head_sha: head },
        changes_count: '2',
        force_remove_source_branch: true,
        should_remove_source_branch: null,
        squash: true,
        squash_on_merge: true,
        merge_when_pipeline_succeeds: false,
        merge_commit_sha: null,
        merged_by: null,
        merged_at: null,
        closed_by: null,
        closed_at: null,
        latest_build_started_at: null,
        latest_build_finished_at: null,
        pipeline: null,
        detailed_merge_status: 'draft_status',
        subscribed: true,
        user: { can_merge: false },
        task_completion_status: { count: 2, completed_count: 1 },
        user_notes_count: 0,
        upvotes: 0,
        downvotes: 0,
        blocking_discussions_resolved: true,
      },
    ])
    expect(created.body).not.toHaveProperty('allow_collaboration')
    expect(created.body).not.toHaveProperty('diverged_commits_count')
    const { iid } = created.body
    expect(created.body.references).toEqual({ short: `!${iid}`, relative: `!${iid}`, full: `${project.full_path}!${iid}` })
    expect(await git(project.dir, 'rev-parse', `refs/merge-requests/${iid}/head`)).toBe(head)
    const seen = await forge.as(owner).get(`${at}/${iid}?render_html=true&include_diverged_commits_count=true&include_rebase_in_progress=1`)
    expect(seen.body).toMatchObject({ diverged_commits_count: 0, rebase_in_progress: false, user: { can_merge: true }, subscribed: true })
    expect(seen.body.description_html).toContain('<em>better</em>')
    expect(seen.body.title_html).toBe('WIP: New')
  })
})

describe('creating is refused', () => {
  test('for the same branch on both sides, for unknown branches, and for one that is open already', async () => {
    const same = await create(developer, { source_branch: 'topic', target_branch: 'topic' })
    expect([same.status, same.body]).toEqual([422, { message: ["You can't use same project/branch for source and target"] }])
    const unknown = await create(developer, { source_branch: 'nowhere' })
    expect([unknown.status, unknown.body]).toEqual([400, { message: { source_branch: ['does not exist'] } }])
    const target = await create(developer, { target_branch: 'refs/heads/main' })
    expect([target.status, target.body]).toEqual([400, { message: { target_branch: ['does not exist'] } }])
    const source_branch = await branch()
    const first = await create(developer, { source_branch })
    const again = await create(owner, { source_branch })
    expect([first.status, again.status, again.body]).toEqual([
      201,
      409,
      { message: [`Another open merge request already exists for this source branch: !${first.body.iid} - It`] },
    ])
  })

  test('for whoever may not push, and with what is missing', async () => {
    for (const user of [reporter, guest, stranger]) expect((await create(user)).status).toBe(403)
    expect((await forge.anonymous.post(at, {})).status).toBe(401)
    for (const field of ['title', 'source_branch', 'target_branch']) {
      const refused = await create(developer, { [field]: undefined })
      expect([refused.status, refused.body]).toEqual([400, { error: `${field} is missing` }])
    }
    expect((await create(developer, { title: ' ' })).body).toEqual({ message: { title: ["can't be blank"] } })
    expect((await create(developer, { title: 'x'.repeat(256) })).status).toBe(400)
  })
})
