/** Configuration of one command, passed in the environment, since other users of the machine can see arguments. */

/** Index 0 is for the setting that the runner passes in the same way (`run.ts`). */
const first = 1

/** The environment for these settings. A name may occur more than once. */
export function extraConfig(settings: Array<[name: string, value: string]>): Record<string, string> {
  const pairs = settings.flatMap(([name, value], index) => [
    [`GIT_CONFIG_KEY_${first + index}`, name],
    [`GIT_CONFIG_VALUE_${first + index}`, value],
  ])
  return { ...Object.fromEntries(pairs), GIT_CONFIG_COUNT: String(first + settings.length) }
}
