/** Snippets of a user and of a project, for tests that walk over all endpoints. */
import type { Forge, TestProject, TestUser } from './forge.ts'

/** A public one of the user, and one of the project that is as open as the project; and their names in paths. */
export async function makeSnippets(forge: Forge, user: TestUser, project: TestProject): Promise<Record<string, string>> {
  const fields = { title: 'How to build', file_name: 'build.sh', content: 'make all\n' }
  const { body: personal } = await forge.as(user).post('/snippets', { ...fields, visibility: 'public' })
  await forge.as(forge.root).post('/snippets', { ...fields, visibility: 'private' })
  const { visibility } = project
  const { body: own } = await forge.as(user).post(`/projects/${project.id}/snippets`, { ...fields, visibility })
  const at = `/projects/${project.id}/snippets/${own.id}`
  const { body: discussion } = await forge.as(user).post(`${at}/discussions`, { body: 'A question' })
  const note_id = String(discussion.notes[0].id)
  await forge.as(forge.root).post(`${at}/discussions/${discussion.id}/notes`, { body: 'An answer' })
  const { body: award } = await forge.as(user).post(`${at}/award_emoji`, { name: 'tada' })
  const { body: noteAward } = await forge.as(user).post(`${at}/notes/${note_id}/award_emoji`, { name: 'tada' })
  return {
    personal_snippet_id: String(personal.id),
    snippet_id: String(own.id),
    snippet_file_path: 'build.sh',
    snippet_note_id: note_id,
    snippet_discussion_id: discussion.id,
    snippet_award_id: String(award.id),
    snippet_note_award_id: String(noteAward.id),
  }
}
