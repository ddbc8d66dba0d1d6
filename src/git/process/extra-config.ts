/** Configuration of one command, in the environment: arguments are visible to other users of the machine. */

/** The setting the runner hands over in the same way keeps its place before these (`run.ts`). */
const first = 1

/** The value for `env`. A name may come more than once. */
export function extraConfig(settings: Array<[name: string, value: string]>): Record<string, string> {
  const pairs = settings.flatMap(([name, value], index) => [
    [`GIT_CONFIG_KEY_${first + index}`, name],
    [`GIT_CONFIG_VALUE_${first + index}`, value],
  ])
  return { ...Object.fromEntries(pairs), GIT_CONFIG_COUNT: String(first + settings.length) }
}
