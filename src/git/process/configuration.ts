/** The configuration and the hooks of every git command. */
import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { writeDurably } from '../../durable.ts'

/** Limit of the options of one push (`git push -o`). Git accepts any number; further ones are not passed on. */
export const maxPushOptions = 20

/**
 * The only configuration of every command. Automatic housekeeping is off: jobs do it when needed. Objects and refs are on disk before a
 * push is acknowledged. Each loose object costs a flush of its own, so a push of more than a few objects is kept as the pack it came as.
 */
const gitConfig = `[core]
	fsync = objects,derived-metadata,reference
	bigFileThreshold = 50m
	useReplaceRefs = false
	logAllRefUpdates = false
	filesRefLockTimeout = 15000
	packedRefsTimeout = 15000
[fastimport]
	unpackLimit = 20
[gc]
	auto = 0
[maintenance]
	auto = false
[pack]
	windowMemory = 100m
	writeReverseIndex = true
	threads = 2
[repack]
	writeBitmaps = true
[protocol]
	version = 2
[http]
	followRedirects = false
[uploadpack]
	allowFilter = true
	allowAnySHA1InWant = true
	hideRefs = refs/keep-around
[uploadpackfilter "sparse:oid"]
	allow = false
[uploadpackfilter "combine"]
	allow = false
[receive]
	advertisePushOptions = true
	autogc = false
	unpackLimit = 20
[transfer]
	fsckObjects = true
[fsck]
	badTimezone = ignore
	missingSpaceBeforeDate = ignore
	zeroPaddedFilemode = ignore
	badFilemode = ignore
[receive "fsck"]
	badTimezone = ignore
	missingSpaceBeforeDate = ignore
	zeroPaddedFilemode = ignore
	badFilemode = ignore
[fetch]
	unpackLimit = 1
[fetch "fsck"]
	badTimezone = ignore
	missingSpaceBeforeDate = ignore
	zeroPaddedFilemode = ignore
	badFilemode = ignore
[tar "tar.bz2"]
	command = bzip2 -c
[safe]
	directory = *
[init]
	defaultBranch = main
`

/**
 * Both hooks pass their input to the server that started receive-pack on pipe 3, and wait for its reply on pipe 4: lines for the user
 * who pushes, if any, ended by `ok` or by a dot, which refuses. The push options come before the changes, each on a line with a prefix that
 * no change has; options with line breaks, which some clients send, and empty ones are left out, since an empty line ends the message. A
 * shell reads pipes byte by byte, which takes 60 ms for 2,000 refs, so after the first few lines `cat` copies the rest; starting `cat` takes
 * as long as ten or twenty lines.
 */
const hook = `#!/bin/sh
{
  echo "\${0##*/} \${GIT_OBJECT_DIRECTORY:-}"
  count=0
  while [ $count -lt "\${GIT_PUSH_OPTION_COUNT:-0}" ] && [ $count -lt ${maxPushOptions} ]; do
    eval "option=\\$GIT_PUSH_OPTION_$count"
    case $option in *"
"*) ;; *) printf 'option %s\\n' "$option" ;; esac
    count=$((count + 1))
  done
  count=0
  while [ $count -lt 8 ] && IFS= read -r line; do
    printf '%s\\n' "$line"
    count=$((count + 1))
  done
  [ $count -lt 8 ] || cat
  echo
} >&3
read -r verdict <&4 || exit 1
while [ "$verdict" != . ]; do
  [ "$verdict" = ok ] && exit 0
  printf '%s\\n' "$verdict" >&2
  read -r verdict <&4 || break
done
exit 1
`

/** Writes configuration and hooks unless they are current. They are on disk when it resolves. */
export async function writeConfiguration(config_file: string, hooks: string): Promise<void> {
  await keepFile(config_file, gitConfig, 0o644)
  for (const name of ['pre-receive', 'post-receive']) await keepFile(join(hooks, name), hook, 0o755)
}

/** The files of `writeConfiguration` that are missing, changed, or not executable although they should be. */
export async function staleConfiguration(config_file: string, hooks: string): Promise<string[]> {
  const files = [
    { file: config_file, text: gitConfig, mode: 0o600 },
    ...['pre-receive', 'post-receive'].map((name) => ({ file: join(hooks, name), text: hook, mode: 0o700 })),
  ]
  const current = await Promise.all(files.map(({ file, text, mode }) => isCurrent(file, text, mode)))
  return files.filter((_, index) => !current[index]).map(({ file }) => file)
}

/** Usually the file is current: `gitstead shell` is started for each connection. */
async function keepFile(file: string, text: string, mode: number): Promise<void> {
  if (!(await isCurrent(file, text, mode))) await writeDurably(file, text, mode)
}

async function isCurrent(file: string, text: string, mode: number): Promise<boolean> {
  const [found, known] = await Promise.all([stat(file).catch(() => null), readFile(file, 'utf8').catch(() => null)])
  return found !== null && (found.mode & 0o700) === (mode & 0o700) && known === text
}
