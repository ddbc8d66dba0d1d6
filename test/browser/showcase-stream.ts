/** Commits of a showcase, as `git fast-import` reads them. */

export interface Commit {
  by: string
  hours_ago: number
  message: string
  files: Record<string, string>
}

/** Commits of a branch that starts at `from`; without it they are the first of the repository. */
export function streamOf(commits: readonly Commit[], branch = 'main', from: string | null = null): string {
  const data = (text: string) => `data ${Buffer.byteLength(text)}\n${text}\n`
  const now = Math.floor(Date.now() / 1000)
  return commits
    .map(({ by, hours_ago, message, files }, index) => {
      const person = `${by} <${by.toLowerCase()}@example.com> ${now - hours_ago * 3600} +0000`
      const written = Object.entries(files).map(([path, text]) => `M 100644 inline ${path}\n${data(text)}`)
      const parent = index === 0 && from !== null ? `from ${from}\n` : ''
      return `commit refs/heads/${branch}\nauthor ${person}\ncommitter ${person}\n${data(message)}${parent}${written.join('')}\n`
    })
    .join('')
}
