/** Closes what a test file has opened when the file ends; the modules it used stay loaded for the next file of the worker. */

const works: Array<() => unknown> = []

/** Runs at the end of the current test file, in reverse order. */
export function atEndOfFile(work: () => unknown): void {
  works.push(work)
}

export async function cleanUp(): Promise<void> {
  for (let work = works.pop(); work; work = works.pop()) await work()
}
