/** The admin API of the crawl preset, as an operator's program calls it. */
export interface CrawlJob {
  readonly id: number
  readonly subreddit_id: number
  readonly status: string
  readonly priority: number
  readonly retry_count: number
}

export interface ScheduledJob {
  readonly id: number
  readonly name: string
  readonly last_run_at: string | null
}

export class AdminApi {
  constructor(readonly url: string) {}

  stats(): Promise<{ queued: number; running: number; failed: number; completed: number }> {
    return this.#call('GET', '/api/admin/jobs/stats')
  }

  async jobs(status: string): Promise<CrawlJob[]> {
    return (await this.#call<{ jobs: CrawlJob[] }>('GET', `/api/admin/jobs?status=${status}&limit=100`)).jobs
  }

  boost(id: number, boost: number): Promise<CrawlJob> {
    return this.#call('POST', `/api/admin/jobs/${id}/boost`, { boost })
  }

  setPriority(id: number, priority: number): Promise<CrawlJob> {
    return this.#call('PUT', `/api/admin/jobs/${id}/priority`, { priority })
  }

  async bulkRetry(ids: readonly number[]): Promise<void> {
    await this.#call('POST', '/api/admin/jobs/bulk/retry', { job_ids: ids })
  }

  async schedules(): Promise<ScheduledJob[]> {
    return (
      await this.#call<{ scheduled_jobs: ScheduledJob[] }>('GET', '/api/admin/scheduled-jobs?limit=100')
    ).scheduled_jobs
  }

  schedule(job: {
    name: string
    description: string
    subreddit_id: number
    cron_expression: string
    priority: number
  }): Promise<ScheduledJob> {
    return this.#call('POST', '/api/admin/scheduled-jobs', { ...job, enabled: true })
  }

  async toggle(id: number, enabled: boolean): Promise<void> {
    await this.#call('POST', `/api/admin/scheduled-jobs/${id}/toggle`, { enabled })
  }

  /** Not of the admin API: a user asks for a crawl. */
  async request(job: { subject: string; input: object; priority: number }): Promise<void> {
    await this.#call('POST', '/api/v1/jobs', { queue: 'crawl', kind: 'crawl', ...job })
  }

  async #call<Answer>(method: string, path: string, body?: object): Promise<Answer> {
    const answer = await fetch(this.url + path, {
      method,
      ...(body === undefined
        ? {}
        : { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
    })
    const parsed = (await answer.json()) as Answer & { detail?: string }
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${parsed.detail}`)
    return parsed
  }
}
