/** What users write to the wiki of a project whose server may die at any moment, and whether it has what was acknowledged. */
import { expect } from 'vitest'
import { git, tryGit } from '../support/git.ts'
import type { ServerProcess } from './server-process.ts'
import { commit } from './wire.ts'

/** Files of the wiki that the server said it has, `branch:path`, with their content; null where it acknowledged nothing. */
export type WikiLane = (server: ServerProcess) => Promise<Record<string, string> | null>

interface Project {
  id: number
  path: string
}

let written = 0

function creation({ id }: Project): WikiLane {
  return async (server) => {
    const title = `page-${++written}`
    const answer = await server.send('POST', `/projects/${id}/wikis`, { title, content: title })
    return answer.status === 201 ? { [`HEAD:${title}.md`]: title } : null
  }
}

/** Each write of its own page: that of another never undoes it. */
function edit({ id }: Project, title: string): WikiLane {
  const wiki = `/projects/${id}/wikis`
  const path = `${wiki}/${encodeURIComponent(title)}`
  return async (server) => {
    const content = String(++written)
    const there = (await server.status(path)) === 200
    const answer = there ? await server.send('PUT', path, { content }) : await server.send('POST', wiki, { title, content })
    return answer.ok ? { [`HEAD:${title}.md`]: content } : null
  }
}

/** On a branch of its own: among many writes by the API hardly any push to theirs would be the next. */
function push({ path }: Project, dir: string): WikiLane {
  return async (server) => {
    const name = `pushed-${++written}`
    await commit(dir, { [`${name}.md`]: name })
    const { code } = await tryGit(dir, 'push', '--quiet', server.remote(`${path}.wiki`), 'HEAD:refs/heads/side')
    return code === 0 ? { [`side:${name}.md`]: name } : null
  }
}

/** New pages, edits of two, and pushes from a clone of the wiki. */
export function wikiLanes(project: Project, dir: string): WikiLane[] {
  return [creation(project), edit(project, 'a'), edit(project, 'folder/b'), push(project, dir)]
}

/** An edit whose answer was lost may stand in place of the one before: its content is a later one. */
export async function expectWikiHolds(dir: string, acknowledged: Record<string, string>): Promise<void> {
  expect(await tryGit(dir, 'fsck', '--connectivity-only')).toMatchObject({ code: 0 })
  for (const [path, content] of Object.entries(acknowledged)) {
    const found = await git(dir, 'show', path)
    if (found !== content) expect(Number(found)).toBeGreaterThan(Number(content))
  }
}
