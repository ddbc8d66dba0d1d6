/** What a test file has opened is closed when the file ends; the modules it used live on for the next file of the worker. */

const works: Array<() => unknown> = []

/** To be done at the end of the test file that is running. What was opened last is closed first. */
export function atEndOfFile(work: () => unknown): void {
  works.push(work)
}

export async function cleanUp(): Promise<void> {
  for (let work = works.pop(); work; work = works.pop()) await work()
}
