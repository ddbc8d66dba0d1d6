/** A data folder with a hundred rows of each kind whose texts may be large, each as large as clients may make it. */
import { cp } from 'node:fs/promises'
import { prepareDataFolder } from '../support/data-folder.ts'
import { type Forge, openForge, type TestProject } from '../support/forge.ts'
import { cloned, count, large, numbers, text } from './large-rows.ts'
import { fillMore, fillRepository } from './larger-lists.ts'

/** Above this git's own reader cuts a message. */
const message = text(900_000)

/** Fills `home`, and gives the addresses of the lists. */
export async function fillLargeLists(home: string): Promise<string[]> {
  const forge = await openForge({ prepare: prepareDataFolder })
  const jobs = Object.fromEntries(numbers.map((number) => [`job ${number}`, { script: 'true' }]))
  const files = { '.gitlab-ci.yml': JSON.stringify(jobs) }
  const commits = numbers.map((number) => ({ message: `${number}\n\n${message}`, files: { ...files, 'a.txt': String(number) } }))
  const project = await forge.project({ commits, visibility: 'public' })
  const at = `/projects/${project.id}`
  const planning = await fillPlanning(forge, project)
  const others = await fillOthers(forge, at)
  const repository = await fillRepository(forge, project)
  const more = await fillMore(forge, project)
  await forge.drain()
  await cp(forge.app.config.home, home, { recursive: true })
  await forge.close()
  return [`${at}/repository/commits`, ...planning, ...others, ...repository, ...more].map(
    (path) => `${path}${path.includes('?') ? '&' : '?'}per_page=${count}`,
  )
}

async function fillPlanning(forge: Forge, project: TestProject): Promise<string[]> {
  const { db } = forge.app
  const at = `/projects/${project.id}`
  const { body: milestone } = await forge.as(forge.root).post(`${at}/milestones`, { title: 'First' })
  const issue = await forge.issue(project, forge.root, { description: large })
  await db.updateTable('issues').set({ milestone_id: milestone.id }).execute()
  const note = await forge.note(project, issue, forge.root, { body: large, discussion: 'new' })
  await cloned(forge, 'issues', issue.id, (number) => ({ iid: number + 1, milestone_id: milestone.id }))
  const notes = await cloned(forge, 'notes', note.id, (number) => ({ discussion_id: number.toString(16).padStart(40, '0') }))
  const event = { project_id: project.id, author_id: forge.root.id, action: 'commented', target_type: 'Note', issue_id: issue.id } as const
  await db.deleteFrom('events').execute()
  await db
    .insertInto('events')
    .values(notes.map((note_id) => ({ ...event, note_id, created_at: note.created_at })))
    .execute()
  const request = await forge.mergeRequest(project, forge.root, { source_branch: 'main', description: large })
  await db.updateTable('merge_requests').set({ state: 'closed' }).execute()
  await cloned(forge, 'merge_requests', request.id, (number) => ({ iid: number + 1 }))
  await cloned(forge, 'milestones', milestone.id, (number) => ({ iid: number + 1, title: `M${number}`, description: large }))
  return [
    `${at}/issues`,
    `${at}/issues/${issue.iid}/notes`,
    `${at}/issues/${issue.iid}/discussions`,
    `${at}/merge_requests`,
    `${at}/milestones`,
    `${at}/events`,
    `${at}/search?scope=issues&search=words`,
    `${at}/search?scope=notes&search=words`,
    `${at}/milestones/${milestone.id}/issues`,
  ]
}

/**
 * Texts outside of planning, and the jobs of a commit with a long message. Descriptions of projects are short. All pages of a wiki
 * together may have 32 MiB.
 */
async function fillOthers(forge: Forge, at: string): Promise<string[]> {
  const by = forge.as(forge.root)
  const snippet = { title: 'Long', file_name: 'a.txt', content: 'short', description: large.slice(0, 1_000_000), visibility: 'public' }
  const { body, status } = await by.post(`${at}/snippets`, snippet)
  if (status !== 201) throw new Error(`the snippet was not created: ${status}`)
  await cloned(forge, 'snippets', body.id, () => ({}))
  for (const number of numbers) {
    const page = await by.post(`${at}/wikis`, { title: `Page ${number}`, content: text(300_000) })
    if (page.status !== 201) throw new Error(`the page was not created: ${page.status}`)
  }
  const pipeline = await by.post(`${at}/pipeline`, { ref: 'main' })
  if (pipeline.status !== 201) throw new Error(`the pipeline was not created: ${pipeline.status}`)
  return [`${at}/snippets`, `${at}/wikis?with_content=1`, `${at}/jobs`]
}
