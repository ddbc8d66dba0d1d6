/** Snippets of a user and of a project, for tests that walk over all endpoints. */
import type { Forge, TestProject, TestUser } from './forge.ts'

/** A public one of the user, and one of the project that is as open as the project; and their names in paths. */
export async function makeSnippets(forge: Forge, user: TestUser, project: TestProject): Promise<Record<string, string>> {
  const fields = { title: 'How to build', file_name: 'build.sh', content: 'make all\n' }
  const { body: personal } = await forge.as(user).post('/snippets', { ...fields, visibility: 'public' })
  await forge.as(forge.root).post('/snippets', { ...fields, visibility: 'private' })
  const { visibility } = project
  const { body: own } = await forge.as(user).post(`/projects/${project.id}/snippets`, { ...fields, visibility })
  return { personal_snippet_id: String(personal.id), snippet_id: String(own.id), snippet_file_path: 'build.sh' }
}
