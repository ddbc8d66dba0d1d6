/** Starts a cluster. Null when no PostgreSQL server is installed. */
export function startPostgres(): Promise<{ url: string; stop: () => Promise<void> } | null>
