/** How long and how often things are measured. */

/** GITSTEAD_BENCH_QUICK=1 only shows that everything runs; its figures mean nothing. */
export const quick = process.env.GITSTEAD_BENCH_QUICK === '1'

/** Commits of the generated repository. */
export const commits = quick ? 200 : 5_000

/** Commits of the repository in which merge requests are merged. */
export const manyCommits = quick ? 200 : 80_000

/** Duration of one run of load; and the number of runs for each side, after one to warm up. */
export const load_s = quick ? 1 : 4
export const loadRounds = quick ? 1 : 3
export const connections = 4

/** Requests of one run in which only the processor time counts, and how many runs of each side there are after one to warm up. */
export const costRequests = quick ? 200 : 2_000
export const costRounds = quick ? 1 : 5

/** Clones and pushes are repeated for about this long on each protocol, within bounds. */
export const git_s = quick ? 1 : 20
export const minGitRounds = quick ? 1 : 3
export const maxGitRounds = quick ? 1 : 9
export const maxSshRounds = quick ? 1 : 5
/** Refs of one push, and how often they are pushed on each protocol. */
export const pushedRefs = quick ? 500 : 20_000
/** Whether they are pushed: the client of git alone takes minutes of processor time for each of these pushes. */
export const pushesRefs = quick || process.env.GITSTEAD_BENCH_REFS === '1'
export const maxRefRounds = quick ? 1 : 3
/** A repository that takes longer than this is pushed and cloned once on each protocol, without a round to warm up. */
export const tooLong_s = 60

/** Size of the file that is uploaded and downloaded as a whole. */
export const large_bytes = (quick ? 16 : 1024) * 1024 * 1024

export const signIns_per_s = 50
export const signIns_s = quick ? 2 : 10

/** Reads at a steady rate: how many a second, for how long, and of how many different things. */
export const rate_per_s = 40
export const steady_s = quick ? 2 : 10
export const different = 200

/** GITSTEAD_BENCH_ENGINE=sqlite or =postgres measures lists on that engine alone. */
export const onlyEngine = process.env.GITSTEAD_BENCH_ENGINE

/** GITSTEAD_BENCH_LISTS=events measures those lists of `--planning` alone that have it in their name. */
export const onlyLists = process.env.GITSTEAD_BENCH_LISTS ?? ''

/** Duration of the measurement of one list for one caller. */
export const lists_s = quick ? 0.5 : 5
/** How often a list is asked for right after a write. */
export const totalRounds = quick ? 2 : 15
/** To a forge while its lists are asked for. */
export const writes_per_s = 5

/** Issues and notes that are created one after the other. */
export const created = quick ? 20 : 200

/** Merge requests that are read, and merged; those that are open on one branch, and how often that is pushed to. */
export const mergedRequests = quick ? 2 : 20
export const openRequests = quick ? 5 : 200
export const targetPushes = quick ? 2 : 9

export const startRounds = quick ? 1 : 3
/** From the start of a server until its memory is looked at. */
export const settling_ms = 3_000

/** Duration of reads by wrk, for servers of one and of several processes. */
export const reads_s = quick ? 1 : 6
export const readers = 32

/** How often a hundred new connections come to a busy server. */
export const newcomerRounds = quick ? 1 : 5

/** How often a page is loaded, ours and its static copy in turn, and how often its processor time is measured. */
export const pageRounds = quick ? 1 : 5

/** Repositories whose code is searched, the text of each, and how often things are searched and pushed. */
export const codeRepositories = Number(process.env.GITSTEAD_BENCH_REPOSITORIES ?? (quick ? 10 : 2_000))
export const codeText_bytes = (quick ? 0.25 : 5) * 1024 * 1024
/** Generated lines, in all a tenth as long as the text of the repositories. */
export const generatedCode_bytes = quick ? 2_000_000 : (codeRepositories * codeText_bytes) / 10
export const codeRounds = quick ? 3 : 20
/** How long each kind of search over all repositories runs, at a steady rate. */
export const codeSearch_s = quick ? 1 : 8

/** Runners without a job, and how long their polls are watched; jobs of busy runners; pipelines that are created; how long jobs print. */
export const idleRunners = quick ? 50 : 1_000
export const idle_s = quick ? 2 : 21
export const busyJobs = quick ? 20 : 500
export const createdPipelines = quick ? 3 : 20
export const watchedPushes = quick ? 3 : 100
export const traces_s = quick ? 2 : 15
