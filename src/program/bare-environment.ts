/** The environment of our own programs that run beside the server. */

/** Passes nothing of the server's environment: its options are not meant for this program, and its secrets must not reach it. */
export function bareEnvironment(): Record<string, string> {
  const libraries = process.env.LD_LIBRARY_PATH
  return { PATH: process.env.PATH ?? '', ...(libraries && { LD_LIBRARY_PATH: libraries }) }
}
