/** A long history with the branches of merge requests on top of it. */
import { git } from '../processes.ts'
import { mergedRequests, openRequests } from '../settings.ts'
import { commit, type File, importInto } from './repository.ts'

/** Commits of each branch that is merged. */
export const topicCommits = 20
/** Files that each branch changes that is read. */
export const wideFiles = 20

export const topics = branches('topic', mergedRequests)
export const wides = branches('wide', mergedRequests)
export const opens = branches('open', openRequests)
/** A target of merge requests, and one of none. */
export const targets = { busy: 'target-busy', quiet: 'target-quiet' }

function branches(name: string, count: number): string[] {
  return Array.from({ length: count }, (_, index) => `${name}-${index}`)
}

/** Adds them to a copy of a repository: `main`, and all the branches above. No two topics change the same file, so none conflicts. */
export async function addBranches(source: string, dir: string): Promise<void> {
  const head = await git(source, 'rev-parse', 'HEAD^{commit}')
  await git('/', 'clone', '--quiet', '--bare', source, dir)
  const files = await readFiles(dir, head, topicCommits * topics.length)
  await importInto(dir, function* () {
    for (const [index, topic] of topics.entries()) {
      for (let number = 0; number < topicCommits; number += 1) {
        const file = files[(index * topicCommits + number) % files.length] as File
        yield commit(topic, number, [changed(file, topic)], number === 0 ? head : undefined)
      }
    }
    for (const [index, wide] of wides.entries()) {
      const first = (index * wideFiles) % files.length
      yield commit(
        wide,
        index,
        files.slice(first, first + wideFiles).map((file) => changed(file, wide)),
        head,
      )
    }
    for (const [index, open] of opens.entries()) yield commit(open, index, [[`open/${open}.txt`, open]], head)
    for (const target of Object.values(targets)) yield commit(target, 0, [[`${target}.txt`, target]], head)
    // Nothing can be merged by moving the branch alone.
    yield commit('main', 0, [['main.txt', 'main']], head)
  })
}

/** So many files of a commit, of which `commit` can write changed ones: text, and no symbolic links. */
async function readFiles(dir: string, head: string, count: number): Promise<File[]> {
  const paths = (await git(dir, 'ls-tree', '-r', '-l', head))
    .split('\n')
    .map((line) => /^100644 blob [0-9a-f]+ +(\d+)\t([\w./-]+)$/.exec(line))
    .flatMap((found) => (found && Number(found[1]) < 10_000 ? (found[2] as string) : []))
  const files: File[] = []
  for (const path of paths) {
    if (files.length === count) break
    const content = await git(dir, 'show', `${head}:${path}`)
    if (/^[\t\n -~]*$/.test(content)) files.push([path, content])
  }
  return files
}

function changed([path, content]: File, branch: string): File {
  const lines = content.split('\n')
  const middle = Math.floor(lines.length / 2)
  return [path, [...lines.slice(0, middle), `Changed by ${branch}.`, ...lines.slice(middle + 1)].join('\n')]
}
