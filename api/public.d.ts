// holdfast: 30 names
//   App
//   Cancel
//   DefinedJob
//   EnqueueOptions
//   ErrorCode
//   GiveUp
//   Handler
//   HoldfastError
//   HoldfastOptions
//   InputOf
//   JobAborted
//   JobCanceled
//   JobContext
//   JobFailed
//   JobHandle
//   LeaseLost
//   Log
//   OutputOf
//   PRIORITIES
//   QueueDeclaration
//   ResultOf
//   ScheduleDeclaration
//   Snooze
//   Transaction
//   WorkHandle
//   WorkOptions
//   defineJob
//   defineSchedule
//   holdfast
//   work

// holdfast/embedded: 11 names
//   EmbeddedError
//   EmbeddedFailed
//   EmbeddedInUse
//   EmbeddedMissing
//   EmbeddedOptions
//   EmbeddedPostgres
//   EmbeddedUnavailable
//   FoundEmbedded
//   findEmbedded
//   lockFolder
//   startEmbedded

// holdfast/testing: 15 names
//   Catalogue
//   EnqueuedJob
//   FreshApp
//   FreshStore
//   PinnedClock
//   WORK_KINDS
//   WorkKind
//   advance
//   assertEnqueued
//   catalogue
//   enqueued
//   freshApp
//   freshStore
//   pinClock
//   runUntilIdle

// holdfast/server: 9 names
//   Call
//   HTTP_LIMITS
//   HttpLimits
//   Route
//   SCOPES
//   Scope
//   ServerOptions
//   buildServer
//   routes

// holdfast/dashboard: 7 names
//   DashboardHandler
//   DashboardHost
//   DashboardOptions
//   NodeListener
//   Scope
//   dashboard
//   nodeListener

// holdfast/client: 63 names
//   Alert
//   AlertCalls
//   AlertEvent
//   AlertQuery
//   AlertRule
//   AlertRuleChange
//   BulkCalls
//   BulkOperation
//   BulkPreview
//   BulkQuery
//   BulkQueryOptions
//   BulkResult
//   Chore
//   ChorePass
//   Client
//   ClientOptions
//   CommandReason
//   CountedQueue
//   Definitions
//   Delivery
//   EnqueueManyOptions
//   EnqueueOptions
//   ErrorCode
//   Firing
//   HoldfastError
//   JobCalls
//   JobCanceled
//   JobDefinition
//   JobExtras
//   JobFailed
//   JobHandle
//   JobPage
//   JobQuery
//   JobRow
//   Maintenance
//   NewSchedule
//   NewSubject
//   NewWebhook
//   Paging
//   Policy
//   Queue
//   QueueCalls
//   QueueStats
//   Schedule
//   ScheduleCalls
//   ScheduleChange
//   ScheduleReason
//   Setting
//   SettingCalls
//   Silence
//   Subject
//   SubjectCalls
//   SubjectChange
//   SubjectQuery
//   Target
//   TransportOptions
//   UpkeepCalls
//   WaitOptions
//   Webhook
//   WebhookCalls
//   Worker
//   WorkerCalls
//   createClient

// holdfast/metrics: 9 names
//   LABEL_VALUES_MAX
//   ListeningMetrics
//   MetricsAddress
//   SERIES_MAX
//   ServerMetrics
//   WorkerMetrics
//   listenMetrics
//   serverMetrics
//   workerMetrics

// holdfast/sqs: 14 names
//   MESSAGE_OUTCOMES
//   MessageOutcome
//   OutboxDepth
//   Reconciled
//   RedriveOptions
//   Redriven
//   SQS_LIMITS
//   SqsBridge
//   SqsCounts
//   SqsDepth
//   SqsOptions
//   SqsStatus
//   Trigger
//   connectSqs

// holdfast/jobs: 14 names
//   AbortCode
//   AsJson
//   DrainOptions
//   Drained
//   EndedAttempt
//   EnqueueManyOptions
//   JobLogger
//   JsonInput
//   RemoteWorkOptions
//   ScaleDecision
//   StandardSchema
//   WaitOptions
//   WorkGroup
//   WorkerStats

// holdfast/store: 75 names
//   Alert
//   AlertEvent
//   AlertRule
//   AlertRuleOptions
//   Attempt
//   Attribution
//   CallOptions
//   CallerTransaction
//   CancelOptions
//   ClaimOptions
//   ClaimedJob
//   DOCTOR_LIMITS
//   Database
//   Delivery
//   ERRORS
//   Ended
//   Ending
//   Enqueued
//   Examination
//   ExamineOptions
//   ExplainReason
//   FeedEvent
//   Fence
//   Finding
//   FireOptions
//   Fired
//   Firing
//   Item
//   ItemFormat
//   Job
//   JobAttempt
//   JobClaimer
//   LIMITS
//   MigrationStatus
//   NewJob
//   NewSchedule
//   Outcome
//   PRESETS
//   Policy
//   PresetName
//   Progress
//   Queue
//   QueueOptions
//   ROLES
//   RenewOptions
//   Renewed
//   Report
//   Reported
//   Role
//   STATES
//   Schedule
//   ScheduleAttribution
//   ScheduleFields
//   ScheduleReason
//   ScheduleRun
//   Session
//   State
//   Store
//   StoreOptions
//   Webhook
//   backoffMs
//   decide
//   examine
//   installRoles
//   migrateUp
//   migrationSql
//   migrationStatus
//   openPglite
//   openPostgres
//   openStore
//   presetReason
//   roleName
//   rolesSql
//   stateWord
//   storeOn

// holdfast/config: 7 names
//   Config
//   ConfigError
//   ConfigKey
//   ConfigOptions
//   loadConfig
//   webhookOptionsOf
//   workOptionsOf

// holdfast/webhooks: 4 names
//   NewWebhook
//   WebhookOptions
//   Webhooks
//   verifyWebhook

class AlertCalls {
    #private;
    constructor(calls: Calls);
    list({ state, rule, ...paging }?: AlertQuery): Promise<{
        alerts: ApiAlert[];
        next: string | null;
    }>;
    get(id: number): Promise<ApiAlert>;
    history({ alert, ...paging }?: Paging & {
        readonly alert?: number;
    }): Promise<{
        events: ApiAlertEvent[];
        next: string | null;
    }>;
    silence(id: number, silence: Silence, why?: CommandReason): Promise<ApiAlert>;
    unsilence(id: number, why?: CommandReason): Promise<ApiAlert>;
    rules(): Promise<ApiAlertRule[]>;
    setRule(rule: string, change: AlertRuleChange, why?: CommandReason): Promise<ApiAlertRule[]>;
}

class Alerts {
    #private;
    constructor(database: Database);
    check(): Promise<number | undefined>;
    list(filter?: AlertFilter): Promise<Alert[]>;
    get(id: number): Promise<Alert>;
    history(where?: {
        tenant?: string;
        alert?: number;
        before?: number;
        limit?: number;
    }): Promise<AlertEvent[]>;
    silence(id: number, { until, forMs, ...act }: Attribution & {
        until?: Date | string;
        forMs?: number;
    }): Promise<Date>;
    unsilence(id: number, act?: Attribution): Promise<boolean>;
    rules(tenant?: string): Promise<AlertRule[]>;
    setRule(rule: string, options: AlertRuleOptions, { tenant, subject, ...act }?: Attribution & {
        tenant?: string;
        subject?: string;
    }): Promise<void>;
    gauges(): Promise<{
        alerts: AlertCount[];
        values: AlertValue[];
    }>;
}

class ApiDocs {
    #private;
    constructor(routes: readonly Route[]);
    get document(): ApiDocument;
    get json(): string;
    get body(): Html;
}

class Audit {
    #private;
    constructor(database: Database);
    record(calls: readonly RecordedCall[]): Promise<void>;
    list(filter?: AuditFilter): Promise<AuditRow[]>;
}

class BasePath {
    #private;
    constructor(path: string, trustProxy: boolean);
    of({ headers }: Pick<FastifyRequest, 'headers'>): string;
    originOf(request: Pick<FastifyRequest, 'headers' | 'protocol' | 'host'>): string;
}

class BulkCalls {
    #private;
    constructor(calls: Calls);
    preview(query: BulkQuery): Promise<ApiBulkPreview>;
    start(query: BulkQuery, { expected, idempotencyKey, ...why }?: BulkQueryOptions): Promise<ApiBulkOperation>;
    get(id: number): Promise<ApiBulkOperation>;
    list(paging?: Paging): Promise<{
        operations: ApiBulkOperation[];
        next: string | null;
    }>;
    results(id: number, { ok, ...paging }?: Paging & {
        readonly ok?: boolean;
    }): Promise<{
        results: ApiBulkResult[];
        next: string | null;
    }>;
    abort(id: number, why?: CommandReason): Promise<ApiBulkOperation>;
}

class BulkOperations {
    #private;
    constructor(database: Database, notifier: Notifier, search: MatchingJobs, jobsMax?: number);
    preview(request: BulkRequest, countMax?: number): Promise<BulkPreview>;
    start(request: BulkStart): Promise<{
        operation: BulkOperation;
        created: boolean;
    }>;
    get(id: number): Promise<BulkOperation>;
    list(where?: {
        readonly tenant?: string;
        readonly states?: readonly BulkState[];
        readonly before?: number;
        readonly limit?: number;
    }): Promise<BulkOperation[]>;
    results(id: number, where?: {
        readonly ok?: boolean;
        readonly before?: number;
        readonly limit?: number;
    }): Promise<BulkResult[]>;
    abort(id: number, act?: Attribution): Promise<BulkOperation>;
    find(matching: Matching, after?: string | null): Promise<MatchPage>;
    take(runner: string, id?: number): Promise<TakenBulk | undefined>;
    apply({ id, tenant, page, q }: TakenBulk, runner: string, jobs: readonly number[], next: string | null): Promise<{
        readonly state: BulkState;
        readonly jobs: number;
    } | undefined>;
    release(id: number, runner: string, failure?: {
        readonly error: string;
        readonly retryInMs?: number;
    }): Promise<void>;
}

class Calls {
    #private;
    constructor(options: TransportOptions);
    call<M extends Method, P extends PathOf<M>>(method: M, path: P, { params, ...sent }: ClientCall<EndpointAt<M, P>>): Promise<AnswerAt<EndpointAt<M, P>>>;
}

class Cancel extends Error {
    readonly name = "Cancel";
    readonly [BRAND] = "cancel";
    constructor(reason?: string);
}

class ClaimWaiters {
    #private;
    constructor(deps: ClaimWaitersDeps);
    get seen(): string;
    claim(claim: ClaimAttempt, waitMs: number, signal: AbortSignal): Promise<ClaimedJob[]>;
    wait(seen: string | undefined, waitMs: number, signal: AbortSignal): Promise<boolean>;
    get queues(): readonly string[];
    wakeUp(): void;
}

class Client<D extends Definitions = readonly JobDefinition[]> {
    #private;
    readonly jobs: JobCalls;
    readonly bulk: BulkCalls;
    readonly queues: QueueCalls;
    readonly workers: WorkerCalls;
    readonly schedules: ScheduleCalls<D>;
    readonly subjects: SubjectCalls;
    readonly alerts: AlertCalls;
    readonly webhooks: WebhookCalls;
    readonly upkeep: UpkeepCalls;
    readonly settings: SettingCalls;
    constructor(options: ClientOptions<D>);
    enqueue<K extends KindOf<D>>(kind: K, ...[input, options]: InputAndOptions<Input<D, K>, ApiEnqueueOptions>): Promise<ApiJobHandle<Result<D, K>>>;
    enqueueMany<K extends KindOf<D>>(kind: K, inputs: readonly JsonInput<Input<D, K>>[], { idempotencyKey, signal, each, ...extras }?: ApiEnqueueManyOptions<Input<D, K>>): Promise<ApiJobHandle<Result<D, K>>[]>;
    job<Out = unknown>(jobId: number): ApiJobHandle<Out>;
    list({ limit, after, ...filter }?: JobQuery): Promise<JobPage>;
}

class Config {
    #private;
    constructor(layers: Layers);
    get<K extends ConfigKey>(key: K): ValueOf<K> | (undefined extends (typeof KEYS)[K]['default'] ? undefined : never);
    origin(key: ConfigKey): string;
    entries(): ConfigEntry[];
    withSettings(settings: ReadonlyMap<string, number>): Config;
    overrides(setting: string): ValueWithOrigin | undefined;
    localSettings(): LocalSettings;
}

class ConfigError extends Error {
    readonly remedy: string;
    readonly exit: 'config' | 'usage';
    readonly name = "ConfigError";
    readonly code = "config_invalid";
    constructor(message: string, remedy: string, 
    exit?: 'config' | 'usage');
}

class ConnectionEpochs {
    #private;
    constructor(database: Database);
    of({ lease }: {
        lease?: number;
    }): ConnectionEpoch | Promise<ConnectionEpoch>;
    now(): Promise<ConnectionEpoch>;
}

class EmbeddedError extends Error {
    readonly code: 'embedded_in_use' | 'embedded_missing' | 'embedded_unavailable' | 'embedded_failed';
    readonly remedy: string;
    constructor(code: 'embedded_in_use' | 'embedded_missing' | 'embedded_unavailable' | 'embedded_failed', message: string, remedy: string, options?: ErrorOptions);
}

class EmbeddedFailed extends EmbeddedError {
    constructor(message: string, remedy: string, options?: ErrorOptions);
}

class EmbeddedInUse extends EmbeddedError {
    readonly dir: string;
    readonly holderPid: number;
    constructor(dir: string, holderPid: number);
}

class EmbeddedMissing extends EmbeddedError {
    constructor(message: string, remedy: string, options?: ErrorOptions);
}

class EmbeddedUnavailable extends EmbeddedError {
    constructor(message: string, remedy: string, options?: ErrorOptions);
}

class Enqueuer {
    #private;
    constructor(store: Store, results: Results, tenant: string | undefined, traces?: Traces);
    enqueue<J extends DefinedJob>(job: J, ...[input, options]: InputAndOptions<InputOf<J>, EnqueueOptions>): Promise<JobHandle<AsJson<ResultOf<J>>>>;
    enqueueMany<J extends DefinedJob>(job: J, inputs: readonly JsonInput<InputOf<J>>[], { each, ...options }?: EnqueueManyOptions<InputOf<J>>): Promise<JobHandle<AsJson<ResultOf<J>>>[]>;
}

class ErrorGroups {
    #private;
    constructor(database: Database);
    list({ tenant, queue, kind, limit, after, }?: ErrorGroupFilter): Promise<Page<ErrorGroup>>;
    get(fingerprint: string, { tenant }?: {
        tenant?: string;
    }): Promise<ErrorGroup>;
    samples(fingerprint: string, { tenant }?: {
        tenant?: string;
    }): Promise<ErrorSample[]>;
}

class EventFeed {
    #private;
    constructor(database: Database);
    page(cursor: string | undefined, countsOf?: readonly string[]): Promise<FeedPage>;
}

class Gauges {
    #private;
    constructor(database: Database);
    queues(): Promise<QueueGauge[]>;
    outbox(): Promise<OutboxGauge[]>;
    lostAttempts(): Promise<LostAttempts[]>;
    depthByKind(queueIds: readonly number[], countMax: number): Promise<KindDepth[]>;
    schedules(countMax: number): Promise<ScheduleGauge[]>;
    xminHolder(): Promise<XminHolder | undefined>;
    connections(): PoolGauge | undefined;
}

class GiveUp extends Error {
    readonly name = "GiveUp";
    readonly [BRAND] = "give_up";
}

class HoldfastError extends Error {
    readonly name: string;
    readonly code: ErrorCode;
    readonly status: number;
    readonly remedy: string;
    readonly details: ErrorDetails;
    constructor(code: ErrorCode, details?: ErrorDetails, options?: ErrorOptions);
}

class Html {
    readonly text: string;
    constructor(text: string);
}

class Hub {
    #private;
    constructor(store: Store, limits?: Partial<HubLimits>, log?: Log);
    join(subscriber: Subscriber): SubscriberPosition;
    leave(subscriber: Subscriber): void;
    take(subscriber: Subscriber, position: SubscriberPosition): LiveEvent | undefined;
    older(subscriber: Subscriber, position: SubscriberPosition): Promise<LiveEvent[]>;
    cursorOf(position: SubscriberPosition): string | undefined;
    countsFor({ tenant }: Subscriber, position: SubscriberPosition): string | undefined;
    stop(): void;
}

class InFlightRequests {
    #private;
    once<T>(tenant: string, idempotencyKey: string | undefined, work: () => Promise<T>): Promise<T>;
}

class Intake {
    #private;
    constructor(store: Store, limits: HttpLimits, now?: () => number);
    admit(tenant: string, jobs: readonly NewJob[]): Promise<void>;
    admitInput(tenant: string, input: unknown): Promise<void>;
    forget(tenant: string): void;
}

class JobAborted extends Error {
    readonly name = "JobAborted";
    readonly code: AbortCode;
    constructor(code: AbortCode, message?: string);
}

class JobCalls {
    #private;
    constructor(calls: Calls);
    cancel(jobId: number, { ifState, ...why }?: ApiCancelOptions): Promise<Answered<'/api/v1/jobs/{id}/cancel'>>;
    retry(jobId: number, why?: CommandReason): Promise<Answered<'/api/v1/jobs/{id}/retry'>>;
    resume(jobId: number, why?: CommandReason): Promise<Answered<'/api/v1/jobs/{id}/resume'>>;
    skip(jobId: number, why?: CommandReason): Promise<Answered<'/api/v1/jobs/{id}/skip'>>;
    discard(jobId: number, why?: CommandReason): Promise<Answered<'/api/v1/jobs/{id}/discard'>>;
    publish(jobId: number, why?: CommandReason): Promise<Answered<'/api/v1/jobs/{id}/publish'>>;
    boost(jobId: number, by?: number, why?: CommandReason): Promise<number>;
    setPriority(jobId: number, priority: number, why?: CommandReason): Promise<number>;
}

class JobCanceled extends Error {
    readonly name = "JobCanceled";
    readonly jobId: number;
    readonly reason: string | null;
    constructor({ jobId, reason }: {
        readonly jobId: number;
        readonly reason: string | null;
    });
}

class JobClaimer {
    #private;
    constructor(deps: ClaimerDeps, { now, unfetchedMs }?: ClaimerClock);
    claim(options: ClaimOptions): Promise<ClaimedJob[]>;
}

class JobCommands {
    #private;
    constructor(database: Database, notifier: Notifier);
    cancel(jobId: number, { ifState, ...act }?: CancelOptions): Promise<{
        result: 'canceled' | 'requested' | 'already_ended';
        state: State;
    }>;
    retry(jobId: number, act?: Attribution): Promise<{
        jobId: number;
        state: State;
    }>;
    resume(jobId: number, act?: Attribution): Promise<State>;
    skip(jobId: number, act?: Attribution): Promise<State>;
    discard(jobId: number, act?: Attribution): Promise<State>;
    forceFinish(jobId: number, outcome: 'succeeded' | 'failed', act?: Attribution): Promise<State>;
    boost(jobId: number, by: number, act?: Attribution): Promise<number>;
    setPriority(jobId: number, priority: number, act?: Attribution): Promise<void>;
}

class JobFailed extends Error {
    readonly name = "JobFailed";
    readonly details: JobFailure;
    constructor(details: JobFailure);
}

class JobReads {
    #private;
    constructor(database: Database);
    job(jobId: number): Promise<Job>;
    tenantsOf(jobIds: readonly number[]): Promise<Map<number, string>>;
    queueOf(jobId: number): Promise<number | undefined>;
    attempts(jobId: number): Promise<Attempt[]>;
    ends(jobIds: readonly number[]): Promise<JobEnd[]>;
    events(jobId: number): Promise<FeedEvent[]>;
    feed(cursor?: string, limit?: number): Promise<{
        cursor: string;
        events: FeedEvent[];
    }>;
    explain(jobId: number): Promise<ExplainReason[]>;
    related(jobId: number): Promise<{
        jobs: RelatedJob[];
        complete: boolean;
    }>;
    history(jobId: number): Promise<Record<string, unknown>>;
    items(where: {
        jobId?: number;
        queue?: string;
        collection?: string;
        afterId?: number;
        limit?: number;
        tenant?: string;
    }): Promise<Item[]>;
    exportItems(where: {
        jobId: number;
    } | {
        queue: string;
        collection?: string;
        tenant?: string;
    }, format: ItemFormat, shown?: (data: unknown) => unknown): AsyncGenerator<string, void, undefined>;
    violations(): Promise<{
        rule: string;
        jobId: number;
        detail: string | null;
    }[]>;
}

class JobSearch implements MatchingJobs {
    #private;
    constructor(database: Database);
    page(search: SearchFilter | string, scope?: SearchScope): Promise<FoundPage>;
    ids(filter: SearchFilter, scope: MatchScope & {
        readonly limit?: number;
        readonly after?: string;
    }): Promise<MatchPage>;
    count(filter: SearchFilter, { max, ...scope }: MatchScope & {
        readonly max?: number;
        readonly budgetMs?: number;
    }): Promise<MatchCount>;
    facets(filter: SearchFilter, { tenant, budgetMs }?: Pick<SearchScope, 'tenant' | 'budgetMs'>): Promise<Facets>;
    suggest(field: SuggestedField, prefix: string, { tenant }?: {
        readonly tenant?: string;
    }): Promise<string[]>;
    export(filter: SearchFilter, format: JobFormat, { tenant, shown, }?: {
        readonly tenant?: string;
        readonly shown?: (input: unknown) => unknown;
    }): AsyncGenerator<string, void, undefined>;
}

class KeyCheck {
    #private;
    constructor(who: Principal, again: () => Promise<Principal>, sessionTrustMs: number);
    get keyId(): number | null;
    invalidate(): void;
    isValid(): Promise<boolean>;
}

class Keys {
    #private;
    constructor(database: Database);
    create(key: NewKey): Promise<{
        id: number;
        secret: string;
    }>;
    rotate(id: number, { overlapMs, ...act }?: Attribution & {
        overlapMs?: number;
    }): Promise<{
        id: number;
        secret: string;
        oldExpiresAt: Date;
    }>;
    revoke(id: number, act?: Attribution): Promise<boolean>;
    authenticate(secret: string, options?: Pick<CallOptions, 'rank'>): Promise<KnownKey | undefined>;
    keysRequiredSince(): Promise<Date | undefined>;
    get(id: number): Promise<ApiKey>;
    list(where?: {
        tenant?: string;
        before?: number;
        limit?: number;
    }): Promise<ApiKey[]>;
}

class KindReads {
    #private;
    constructor(database: Database);
    stats({ tenant, kind, }?: {
        readonly tenant?: string;
        readonly kind?: string;
    }): Promise<KindStats[]>;
}

class Kinds {
    #private;
    constructor(database: Database);
    declare(kinds: readonly DeclaredKind[], { tenant, actor }?: DeclaredBy): Promise<number>;
    list({ tenant }?: DeclaredBy): Promise<Kind[]>;
}

class LeaseLost extends HoldfastError {
    readonly name = "LeaseLost";
    constructor(details?: ErrorDetails, options?: ErrorOptions);
}

class Listing {
    #private;
    constructor(database: Database);
    jobs(filter?: JobFilter): Promise<Page<ListedJob>>;
    stateCounts({ tenant, queue, }?: {
        tenant?: string;
        queue?: string;
    }): Promise<{
        counts: Record<State, number>;
        capped: State[];
    }>;
    named(jobIds: readonly number[]): Promise<NamedJob[]>;
    blockedTargets(filter?: {
        readonly tenant?: string;
        readonly queue?: string;
        readonly limit?: number;
    }): Promise<BlockedTarget[]>;
    queueCounts(tenant?: string): Promise<QueueCounts[]>;
    liveKinds(tenant?: string): Promise<{
        kind: string;
        jobs: number;
        parked: number;
    }[]>;
}

class LockWaits {
    #private;
    call<T>(attempt: (patience: Patience) => Promise<T>): Promise<T>;
    turn<T>(until: number, attempt: (patience: Patience) => Promise<T>): Promise<T>;
}

class Notifier {
    #private;
    readonly isOn: boolean;
    constructor(database: Database, isOn?: boolean);
    wake(tenant: string, names: Iterable<string>): void;
    carried(names: readonly string[]): boolean;
    wakeAll(): void;
    wakeQueueOf(jobId: number): void;
    stop(): Promise<void>;
}

class Overview {
    #private;
    constructor(database: Database);
    read({ tenant, installation, }?: {
        readonly tenant?: string;
        readonly installation?: boolean;
    }): Promise<OverviewRead>;
    queue(queueId: number): Promise<QueueNow>;
}

class OwnLeases {
    #private;
    add(tenant: string, leases: Iterable<number>): void;
    delete(lease: number): void;
    among({ store, tenant }: TenantStore, leases: readonly number[]): Promise<ReadonlySet<number>>;
    has(call: TenantStore, lease: number): Promise<boolean>;
}

class PresetViews {
    #private;
    constructor(database: Database);
    jobs(jobIds: readonly number[]): Promise<Map<number, PresetJob>>;
    presetOf(jobId: number): Promise<Pick<PresetJob, 'tenant' | 'queue' | 'preset'> | undefined>;
    attemptsOf(jobId: number): Promise<AttemptsOfJob>;
    job(jobId: number): Promise<JobWithLastAttempt>;
    list({ queueIds, states, limit, offset }: StateWordFilter): Promise<JobWithLastAttempt[]>;
    counts<Name extends string>(queueIds: readonly number[], groups: Readonly<Record<Name, readonly State[]>>): Promise<Record<Name, number>>;
}

class Principals {
    #private;
    constructor(store: Store, limits: HttpLimits, options: PrincipalOptions);
    of(request: WithHeaders): Promise<Principal>;
    again(request: WithHeaders): Promise<Principal>;
    forget(): void;
    signIn(key: string): Promise<{
        token: string;
        who: Principal;
    }>;
    signInByLink(sent: string): Promise<string | undefined>;
    signOut({ headers }: WithHeaders, base: string): Promise<void>;
}

class Producer {
    #private;
    constructor(database: Database, schema: string, notifier: Notifier, observers: StoreObservers, waits: LockWaits);
    enqueue(job: NewJob, options?: StoreEnqueueOptions): Promise<Enqueued>;
    enqueueMany(jobs: readonly NewJob[], options?: StoreEnqueueOptions): Promise<Enqueued[]>;
    publish(jobId: number, act?: Attribution): Promise<State>;
}

class QueueCalls {
    #private;
    constructor(calls: Calls);
    list(): Promise<{
        queues: ApiCountedQueue[];
        countedMax: number;
    }>;
    get(name: string): Promise<ApiQueue>;
    create(name: string, { preset, policy }?: {
        readonly preset?: ApiQueue['preset'];
        readonly policy?: ApiPolicy;
    }): Promise<ApiQueue>;
    setPolicy(name: string, policy: ApiPolicy, why?: CommandReason): Promise<ApiQueue>;
    update(name: string, { preset, policy }: {
        readonly preset?: ApiQueue['preset'];
        readonly policy?: ApiPolicy;
    }, why?: CommandReason): Promise<ApiQueue>;
    rename(name: string, to: string, why?: CommandReason): Promise<ApiQueue>;
    remove(name: string, { withItems, ...why }?: CommandReason & {
        readonly withItems?: boolean;
    }): Promise<void>;
    pause(name: string, why?: CommandReason): Promise<boolean>;
    resume(name: string, why?: CommandReason): Promise<boolean>;
    stats({ queue }?: {
        readonly queue?: string;
    }): Promise<ApiQueueStats[]>;
    blockedTargets(filter?: {
        queue?: string;
        limit?: number;
    }): Promise<ApiTarget[]>;
}

class QueuePresets {
    #private;
    constructor(limits: HttpLimits);
    get(store: Store, tenant: string, queue: string): Promise<PresetName>;
}

class Queues {
    #private;
    constructor(database: Database, notifier: Notifier);
    create(name: string, options?: QueueOptions): Promise<number>;
    ensure(name: string, preset: PresetName, { tenant }?: {
        tenant?: string;
    }): Promise<Queue>;
    setPolicy(name: string, policy: Partial<Policy>, options?: QueueAct): Promise<void>;
    update(name: string, { preset, policy }: QueueChanges, act?: QueueAct): Promise<void>;
    rename(name: string, to: string, act?: QueueAct): Promise<void>;
    remove(name: string, { withItems, ...act }?: QueueAct & {
        withItems?: boolean;
    }): Promise<void>;
    pause(name: string, options?: QueueAct): Promise<boolean>;
    resume(name: string, options?: QueueAct): Promise<boolean>;
    get(name: string, { tenant }?: {
        tenant?: string;
    }): Promise<Queue>;
    list({ tenant }?: {
        tenant?: string;
    }): Promise<Queue[]>;
    ids(names: readonly string[], tenant?: string): Promise<number[]>;
    nameOf(id: number): string | undefined;
}

class Results {
    #private;
    constructor(source: ResultSource);
    wait(jobId: number, options?: WaitOptions): Promise<JobEnd>;
    nudge(): void;
    close(): void;
}

class SavedViews {
    #private;
    constructor(database: Database);
    list(tenant?: string): Promise<SavedView[]>;
    get(id: number): Promise<SavedView>;
    create(view: ViewFields & Attribution & {
        readonly tenant?: string;
    }): Promise<SavedView>;
    change(id: number, changes: Partial<ViewFields>, act?: Attribution): Promise<SavedView>;
    remove(id: number, act?: Attribution): Promise<void>;
}

class ScheduleCalls<D extends Definitions = readonly JobDefinition[]> {
    #private;
    constructor(calls: Calls, queueOf?: Readonly<Record<string, string>>);
    list(paging?: Paging): Promise<{
        schedules: ApiSchedule[];
        next: string | null;
    }>;
    get(name: string): Promise<ApiSchedule>;
    create<K extends KindOf<D>>(schedule: NewApiSchedule<D, K>, why?: CommandReason): Promise<ApiSchedule>;
    update(name: string, changes: ApiScheduleChange, why?: CommandReason): Promise<ApiSchedule>;
    enable(name: string, why?: CommandReason): Promise<ApiSchedule>;
    disable(name: string, why?: CommandReason): Promise<ApiSchedule>;
    reset(name: string, why?: CommandReason): Promise<ApiSchedule>;
    remove(name: string, why?: CommandReason): Promise<void>;
    pause(name: string, why?: CommandReason): Promise<boolean>;
    resume(name: string, why?: CommandReason): Promise<boolean>;
    run(name: string, why?: CommandReason): Promise<{
        readonly jobId: number;
        readonly deduplicated: boolean;
    }>;
    preview(name: string, count?: number): Promise<Date[]>;
    previewOf(expression: string, timeZone?: string, count?: number): Promise<Date[]>;
    history(name: string, paging?: Paging): Promise<{
        firings: ApiFiring[];
        next: string | null;
    }>;
    explain(name: string): Promise<ApiScheduleReason[]>;
    maintenance(): Promise<ApiMaintenance>;
    pauseAll({ until, ...why }?: CommandReason & {
        readonly until?: Date;
    }): Promise<ApiMaintenance>;
    resumeAll(why?: CommandReason): Promise<boolean>;
}

class ScheduleReads {
    #private;
    protected readonly database: Database;
    constructor(database: Database);
    get(name: string, options?: ScheduleOwner): Promise<Schedule>;
    find(name: string, { tenant }?: ScheduleOwner): Promise<Schedule | undefined>;
    byId(id: number): Promise<Schedule | undefined>;
    list({ tenant, after, limit, }?: ScheduleOwner & {
        after?: string;
        limit?: number;
    }): Promise<Schedule[]>;
    all(owner?: ScheduleOwner): Promise<Schedule[]>;
    inQueues(queues: readonly string[], { tenant, limit, offset, }: ScheduleOwner & {
        readonly limit: number;
        readonly offset: number;
    }): Promise<Schedule[]>;
    history(name: string, { before, limit, ...owner }?: ScheduleOwner & {
        before?: number;
        limit?: number;
    }): Promise<Firing[]>;
    preview(name: string, count?: number, options?: ScheduleOwner): Promise<Date[]>;
    previewOf(expression: string, timeZone?: string, count?: number): Promise<Date[]>;
    maintenance({ tenant }?: ScheduleOwner): Promise<Maintenance>;
    explain(name: string, owner?: ScheduleOwner): Promise<ScheduleReason[]>;
    protected row(name: string, owner: ScheduleOwner): Promise<ScheduleRow>;
    protected now(): Promise<Date>;
}

class Scheduler {
    #private;
    constructor(database: Database, notifier: Notifier);
    fireDue({ limit, schedule, lateAfterMs }?: FireOptions): Promise<Fired>;
    next(): Promise<{
        readonly inMs: number | undefined;
        readonly waiting: boolean;
    }>;
}

class Schedules extends ScheduleReads {
    #private;
    constructor(database: Database, notifier: Notifier, scheduler: Scheduler);
    create(schedule: NewSchedule, options?: ScheduleAttribution): Promise<Schedule>;
    update(name: string, changes: Partial<ScheduleFields> & {
        readonly name?: string;
    }, options?: ScheduleAttribution): Promise<Schedule>;
    reset(name: string, options?: ScheduleAttribution): Promise<Schedule>;
    declare(schedule: NewSchedule, options?: ScheduleAttribution): Promise<void>;
    remove(name: string, options?: ScheduleAttribution): Promise<void>;
    enable(name: string, options?: ScheduleAttribution): Promise<Schedule>;
    disable(name: string, options?: ScheduleAttribution): Promise<Schedule>;
    pause(name: string, options?: ScheduleAttribution): Promise<boolean>;
    resume(name: string, options?: ScheduleAttribution): Promise<boolean>;
    pauseAll({ tenant, until, ...act }?: ScheduleAttribution & {
        until?: Date;
    }): Promise<void>;
    resumeAll({ tenant, ...act }?: ScheduleAttribution): Promise<boolean>;
    run(name: string, options?: ScheduleAttribution): Promise<ScheduleRun>;
}

class Seal {
    #private;
    constructor(store: Store);
    isSealed(): boolean | Promise<boolean>;
}

class SeriesReads {
    #private;
    constructor(database: Database);
    read({ tenant, span, queue, kind }?: SeriesOptions): Promise<StatsSeries>;
    scale({ tenant, span, group, }?: {
        readonly tenant?: string;
        readonly span?: SpanName;
        readonly group?: string;
    }): Promise<{
        from: Date;
        to: Date;
        events: ScaleEvent[];
        capped: boolean;
    }>;
}

class ServerMetrics {
    #private;
    readonly measure: Pick<Measure, 'external'>;
    constructor({ version }: {
        readonly version: string;
    });
    get contentType(): string;
    answered(call: {
        method: string;
        route: string | undefined;
        status: number;
        seconds: number;
    }): void;
    uploaded(contentType: string | undefined, bytes: number): void;
    queried(statement: string, seconds: number, error: unknown): void;
    enqueued(tenant: string, queue: string, count: number): void;
    refused(count: number): void;
    text(facts: DatabaseFacts): Promise<string>;
}

class SettingCalls {
    #private;
    constructor(calls: Calls);
    list(): Promise<ApiSetting[]>;
    get(name: string): Promise<ApiSetting>;
    set(name: string, value: number, why?: CommandReason): Promise<ApiSetting>;
    reset(name: string, why?: CommandReason): Promise<ApiSetting>;
}

class Settings {
    #private;
    constructor(database: Database);
    list(): Promise<SettingValue[]>;
    get(name: string): Promise<number>;
    set(name: string, value: unknown, act?: Attribution): Promise<void>;
    reset(name: string, act?: Attribution): Promise<void>;
}

class Snooze extends Error {
    readonly name = "Snooze";
    readonly [BRAND] = "snooze";
    readonly ms: number;
    constructor(ms: number, reason?: string);
}

class Stats {
    #private;
    constructor(database: Database);
    queues({ tenant, queue, windowsSec, countMax, }?: {
        tenant?: string;
        queue?: string;
        windowsSec?: readonly number[];
        countMax?: number;
    }): Promise<QueueMetrics[]>;
    byQueue(options?: {
        tenant?: string;
        queue?: string;
    }): Promise<QueueStats[]>;
}

class StoreObservers {
    #private;
    add(observer: StoreObserver): () => void;
    get none(): boolean;
    queried(statement: string, began: number, error: unknown): void;
    enqueued(tenant: string, queues: ReadonlyMap<string, number>): void;
    refused(count: number): void;
    watching<T>(work: Promise<T>): Promise<T>;
}

class StoredWebhooks {
    #private;
    constructor(database: Database);
    add(webhook: Attribution & {
        tenant?: string;
        name: string;
        url: string;
        secret: string;
        rules?: readonly string[];
    }): Promise<number>;
    list(where?: {
        tenant?: string;
        after?: number;
        limit?: number;
    }): Promise<Webhook[]>;
    get(id: number): Promise<Webhook>;
    enable(id: number, enabled: boolean, act?: Attribution): Promise<boolean>;
    remove(id: number, act?: Attribution): Promise<void>;
    deliveries(id: number, where?: {
        before?: number;
        limit?: number;
    }): Promise<Delivery[]>;
    target(id: number): Promise<{
        url: string;
        secret: string;
    }>;
    take(limit: number, leaseMs: number, { perTenant, busy }?: {
        perTenant?: number;
        busy?: Readonly<Record<string, number>>;
    }): Promise<TakenDelivery[]>;
    settle(id: number, attempt: number, end: DeliveryEnd): Promise<boolean>;
    giveBack(id: number, attempt: number): Promise<boolean>;
}

class SubjectCalls {
    #private;
    constructor(calls: Calls);
    list({ queue, name, stale, ...paging }?: SubjectQuery): Promise<{
        subjects: ApiSubject[];
        next: string | null;
    }>;
    get(id: number): Promise<ApiSubject>;
    add(subject: NewApiSubject, why?: CommandReason): Promise<ApiSubject>;
    set(id: number, change: ApiSubjectChange, why?: CommandReason): Promise<ApiSubject>;
    remove(id: number, why?: CommandReason): Promise<void>;
}

class Subjects {
    #private;
    constructor(database: Database, queues: Queues);
    list(filter?: SubjectFilter): Promise<Subject[]>;
    get(id: number): Promise<Subject>;
    find(queue: string, name: string, tenant?: string): Promise<Subject>;
    add(subject: NewSubject): Promise<number>;
    set(id: number, { staleAfterMs, enabled, ...act }: SubjectChanges): Promise<void>;
    remove(id: number, act?: Attribution): Promise<void>;
}

class Tenants {
    #private;
    constructor(database: Database);
    get(name: string): Promise<Tenant>;
    list({ after, limit }?: {
        after?: string;
        limit?: number;
    }): Promise<Tenant[]>;
    setLimits(name: string, limits: Partial<TenantLimits>, act?: Attribution): Promise<void>;
    liveJobs(name: string, countMax: number): Promise<number>;
}

class Traces {
    #private;
    constructor(api: typeof Api, version: string);
    enqueue<T extends Made | readonly Made[]>(facts: EnqueueFacts, make: (trace: string | undefined) => Promise<T>): Promise<T>;
    attempts(spans?: ProcessSpans): {
        begin: (job: ClaimedJob, queue: string, worker: string) => {
            traceId: string;
            within: <T>(run: () => T) => T;
            ended: (outcome: string, error: unknown) => void;
            settled: (accepted: boolean, state: string | null) => void;
        } | undefined;
    };
}

class Triggers {
    #private;
    constructor(database: Database);
    takeOutbox(trigger: TriggerName, { limit, holdMs }?: {
        holdMs?: number | undefined;
        limit?: number | undefined;
    }): Promise<OutboxRow[]>;
    settleSent(rows: readonly OutboxResult[]): Promise<void>;
    settleUnsent(rows: readonly OutboxResult[]): Promise<void>;
    statesOf(jobIds: readonly number[]): Promise<Map<number, JobWhereabouts>>;
    retriesOf(jobIds: readonly number[]): Promise<Map<number, number>>;
    failedWithoutDeadLetter(jobIds: readonly number[], failedForMs?: number): Promise<number[]>;
    claimReconcileTurn(trigger: TriggerName, holdMs: number): Promise<number>;
    setReconcileTurn(trigger: TriggerName, nextMs: number): Promise<void>;
    requeue(jobIds: readonly number[], afterMs?: number): Promise<number[]>;
    backfill(trigger: TriggerName, limit?: number): Promise<number>;
    queuesOf(trigger: TriggerName, queues: readonly string[]): Promise<string[]>;
    depth(trigger: TriggerName, countMax?: number): Promise<OutboxDepth>;
}

class Upkeep {
    #private;
    constructor(database: Database, notifier: Notifier);
    promote(limit?: number): Promise<number>;
    reclaim(limit?: number): Promise<number>;
    settleTargets(limit?: number): Promise<number>;
    promoteDueWork(limit?: number): Promise<number>;
    age({ afterMs, step, cap, everyMs, perLevel, }?: AgeOptions): Promise<number>;
    makePartitions(ahead?: number): Promise<number>;
    prune(): Promise<number>;
    countMinutes(limit?: number): Promise<number>;
    enqueueStaleSubjects({ staleMs, everyMs, limit, }?: StaleSubjectsOptions): Promise<number>;
    resetAfter(ms: number): Promise<number>;
    expireKeys(limit?: number): Promise<number>;
    recordChores(node: string, runs: readonly ChoreRecord[]): Promise<void>;
    chores(): Promise<ChoreRun[]>;
    pruneRecords({ eventsMs, requestsMs, limit, }?: PruneRecordsOptions): Promise<number>;
}

class UpkeepCalls {
    #private;
    constructor(calls: Calls);
    list(): Promise<ApiChore[]>;
    run(name: string, why?: CommandReason): Promise<ApiChorePass>;
}

class Waits {
    #private;
    constructor(perTenantMax: number);
    count(tenant: string): number;
    enter(tenant: string): () => void;
}

class WebSessions {
    #private;
    constructor(database: Database);
    open({ token, keyId, proof, idleMs, lifetimeMs, countMax }: NewWebSession): Promise<Date>;
    use(token: string, options?: Pick<CallOptions, 'rank'>): Promise<WebSession | undefined>;
    close(token: string): Promise<boolean>;
}

class WebhookCalls {
    #private;
    constructor(calls: Calls);
    list(paging?: Paging): Promise<{
        webhooks: ApiWebhook[];
        next: string | null;
    }>;
    get(id: number): Promise<ApiWebhook>;
    add(webhook: NewApiWebhook, why?: CommandReason): Promise<{
        readonly id: number;
        readonly secret: string;
    }>;
    enable(id: number, enabled: boolean, why?: CommandReason): Promise<ApiWebhook>;
    remove(id: number, why?: CommandReason): Promise<void>;
    test(id: number): Promise<AnswerAt<EndpointAt<'POST', '/api/v1/webhooks/{id}/test'>>>;
    deliveries(id: number, paging?: Paging): Promise<{
        deliveries: ApiDelivery[];
        next: string | null;
    }>;
}

class Webhooks {
    #private;
    constructor(store: Pick<Store, 'webhooks'>, options?: WebhookOptions);
    on(store: Pick<Store, 'webhooks'>): Webhooks;
    add(webhook: NewWebhook): Promise<{
        id: number;
        secret: string;
    }>;
    list(where?: {
        tenant?: string;
        after?: number;
        limit?: number;
    }): Promise<Webhook[]>;
    get(id: number): Promise<Webhook>;
    enable(id: number, enabled: boolean, act?: Attribution): Promise<boolean>;
    remove(id: number, act?: Attribution): Promise<void>;
    deliveries(id: number, where?: {
        before?: number;
        limit?: number;
    }): Promise<Delivery[]>;
    test(id: number): Promise<SendResult>;
    deliver(stopping?: AbortSignal): Promise<{
        arrived: number;
        failed: number;
    }>;
}

class Work implements WorkPort {
    #private;
    constructor(deps: WorkDeps);
    openLease(worker: string, leaseMs: number, tenant?: string): Promise<{
        lease: number;
        expiresAt: Date;
    }>;
    leasesFor(tenant: string, leases: readonly number[]): Promise<number[]>;
    closeLease(lease: number, reason?: string, started?: readonly number[]): Promise<number>;
    claimer(clock?: ClaimerClock): JobClaimer;
    claim(options: ClaimOptions): Promise<ClaimedJob[]>;
    claimById(jobId: number, options: {
        worker: string;
        lease?: number;
        leaseMs?: number;
    }): Promise<ClaimedJob | undefined>;
    start(fences: readonly (Fence & {
        startedAgoMs?: number;
    })[]): Promise<JobAttempt[]>;
    renew(leases: readonly number[], options?: RenewOptions): Promise<Renewed[]>;
    report(report: Report): Promise<Reported>;
    logLines(lines: readonly LoggedLines[]): Promise<number>;
    reportAndFinish(report: Report, ending: Ending): Promise<{
        reported: Reported;
        ended?: Ended;
    }>;
    finish(endings: readonly Ending[]): Promise<Ended[]>;
    commit<T>(ending: Ending | ((value: T) => Ending), work: (session: Session) => Promise<T>, options?: {
        deadlineMs?: number;
    }): Promise<T>;
    commitOn(tx: CallerTransaction, ending: Ending): Promise<State>;
    releaseUnlisted(lease: number, known: readonly JobAttempt[], olderThanMs: number): Promise<number>;
    heartbeat(presence: Presence, { overHttp }?: {
        overHttp?: boolean | undefined;
    }): Promise<{
        drain: boolean;
    }>;
    removeWorker(worker: string, tenant?: string): Promise<void>;
    recordScale(worker: string, { group, tenant, from, to, depth, reason }: ScaleDecision): Promise<void>;
    unpark(queues: readonly string[], kinds: readonly string[], tenant?: string, limit?: number): Promise<number>;
    depth(queues: readonly string[], countMax?: number, tenant?: string): Promise<number>;
    depthByKind(options: WorkerScope & {
        countMax: number;
    }): Promise<KindDepth[]>;
    queuesWithWork(options: WorkerScope): Promise<string[]>;
    hasWork(options: Pick<ClaimAsk, 'worker' | 'lease' | 'queues' | 'tenant'>): Promise<boolean>;
    queueName(queueId: number): string | undefined;
    breaks(): number;
}

class WorkerCalls {
    #private;
    constructor(calls: Calls);
    list(): Promise<ApiWorker[]>;
    drain(name: string, why?: CommandReason): Promise<boolean>;
}

class WorkerMetrics {
    #private;
    constructor({ version }: {
        readonly version: string;
    });
    get contentType(): string;
    join(worker: WatchedWorker): {
        ended(attempt: AttemptFacts): void;
        leave(): void;
    };
    joinPool(connections: () => Connections | undefined): () => void;
    joinTrigger(trigger: CountedTrigger): void;
    measured(measured: Measurement): void;
    queried(statement: string, seconds: number, error: unknown): void;
    enqueued(tenant: string, queue: string, count: number): void;
    refused(count: number): void;
    text(): Promise<string>;
}

class WorkerSessions {
    #private;
    readonly leases: OwnLeases;
    claimer({ store, tenant }: SessionCall, lease: number, queues: readonly string[]): JobClaimer;
    waitersFor({ store, tenant }: SessionCall, queues: readonly string[]): ClaimWaiters;
}

class Workers {
    #private;
    constructor(database: Database);
    drain(worker: string, { tenant, ...act }?: Attribution & {
        tenant?: string;
    }): Promise<boolean>;
    details(worker: string, { tenant }?: {
        tenant?: string;
    }): Promise<WorkerDetails>;
    terms(queues: readonly string[], tenant?: string): Promise<WorkTerms[]>;
    list({ tenant, worker, limit, }?: {
        tenant?: string;
        worker?: string;
        limit?: number;
    }): Promise<WorkerRow[]>;
}

const ALERT_EVENTS: readonly ["pending", "firing", "cleared", "passed", "silenced", "unsilenced"];

const ALERT_RULES: {
    readonly depth: {
        readonly setting: 'ALERT_DEPTH_JOBS';
        readonly unit: 'jobs';
        readonly of: 'more than N jobs of a queue wait to be claimed';
        readonly sentence: ({ subject, threshold }: AlertFacts) => string;
    };
    readonly failed_rate: {
        readonly setting: 'ALERT_FAILED_PERCENT';
        readonly unit: 'percent';
        readonly of: 'more than N % of the jobs of a queue that ended in the last 15 minutes failed';
        readonly sentence: ({ subject, value, data }: AlertFacts) => string;
    };
    readonly running_long: {
        readonly setting: 'ALERT_RUNNING_SEC';
        readonly unit: 'seconds';
        readonly of: 'an attempt of a queue runs for more than N seconds';
        readonly sentence: ({ subject, value, data }: AlertFacts) => string;
    };
    readonly schedule_late: {
        readonly setting: 'ALERT_LATE_TICKS';
        readonly unit: 'ticks';
        readonly of: 'a schedule has been due for more than N rounds of the scheduler';
        readonly sentence: ({ subject, value }: AlertFacts) => string;
    };
    readonly no_worker: {
        readonly setting: 'ALERT_NO_WORKER_JOBS';
        readonly unit: 'jobs';
        readonly of: 'more than N jobs of a kind wait, and no live worker knows it';
        readonly sentence: ({ data }: AlertFacts) => string;
    };
    readonly oldest_ready: {
        readonly setting: 'ALERT_OLDEST_READY_SEC';
        readonly unit: 'seconds';
        readonly of: 'a job of a queue has been claimable for more than N seconds';
        readonly sentence: ({ subject, value }: AlertFacts) => string;
    };
    readonly leases_lost: {
        readonly setting: 'ALERT_LEASES_LOST';
        readonly unit: 'attempts';
        readonly of: 'more than N attempts of a queue lost their lease in the last 15 minutes';
        readonly sentence: ({ subject, value }: AlertFacts) => string;
    };
    readonly blocked_target: {
        readonly setting: 'ALERT_BLOCKED_SEC';
        readonly unit: 'seconds';
        readonly of: 'a target of a queue has been blocked for more than N seconds';
        readonly sentence: ({ subject, value, data }: AlertFacts) => string;
    };
    readonly old_snapshot: {
        readonly setting: 'ALERT_SNAPSHOT_SEC';
        readonly unit: 'seconds';
        readonly of: 'a transaction has been open for more than N seconds and keeps the database from cleaning up';
        readonly sentence: ({ value, data }: AlertFacts) => string;
    };
};

const ALERT_STATES: readonly ['pending', 'firing', 'cleared'];

const ATTEMPT_OUTCOMES: readonly ["succeeded", "failed", "canceled", "snoozed", "released", "parked", "lost"];

const BRAND: unique symbol;

const BULK_COMMANDS: readonly ['retry', 'cancel', 'resume', 'boost', 'discard', 'skip', 'priority'];

const BULK_STATES: readonly ['waiting', 'running', 'done', 'aborted', 'failed'];

const CATCH_UPS: readonly ['skip', 'latest', 'all'];

const DELIVERY_STATES: readonly ['waiting', 'delivered', 'failed', 'dropped'];

const DOCTOR_LIMITS: {
    readonly transactionSec: 300;
    readonly deadRows: 50000;
    readonly deadRatio: 5;
    readonly notifyShare: 0.1;
    readonly clockSkewMs: 1000;
    readonly connectionsShare: 0.8;
    readonly freeRangeShare: 0.1;
    readonly upkeepPasses: 3;
    readonly upkeepReportSec: 120;
};

const END_STATES: readonly ["succeeded", "failed", "canceled"];

const ERRORS: {
    readonly database_moved: {
        readonly status: 503;
        readonly message: 'This database[ {state} and] no longer serves jobs[; the destination is {peer}].';
        readonly remedy: 'Set DATABASE_URL to the new database; if the move was interrupted, run the same `holdfast move --to …` again first. To work here again: `holdfast move --undo`.';
    };
    readonly move_unfinished: {
        readonly status: 503;
        readonly message: 'The copy[ of {peer}] into this database is not complete.';
        readonly remedy: 'Run the same `holdfast move --to …` again: it continues, and ends with a comparison.';
    };
    readonly unknown_alert: {
        readonly status: 404;
        readonly message: 'There is no alert[ {alert}].';
        readonly remedy: 'Look at `holdfast alerts list --all`; alerts that cleared long ago are deleted.';
    };
    readonly unknown_alert_rule: {
        readonly status: 404;
        readonly message: 'There is no rule[ "{rule}"][. Did you mean "{nearest}"?].';
        readonly remedy: 'Use a rule that `holdfast alerts rules` lists.';
    };
    readonly unknown_bulk: {
        readonly status: 404;
        readonly message: 'There is no bulk operation[ {operation}].';
        readonly remedy: 'Check the id with `holdfast bulk list`.';
    };
    readonly bulk_ended: {
        readonly status: 409;
        readonly message: 'The bulk operation[ {operation}] has ended already[: it is {state}].';
        readonly remedy: 'Read what it did with `holdfast bulk show <id>`. Start another one for the jobs that remain.';
    };
    readonly unknown_view: {
        readonly status: 404;
        readonly message: 'There is no saved view[ {view}].';
        readonly remedy: 'List the saved views with `GET /api/v1/views`; another person may have removed it.';
    };
    readonly view_name_taken: {
        readonly status: 409;
        readonly message: 'There is a saved view[ named "{name}"] already.';
        readonly remedy: 'Change the existing view, or choose another name.';
    };
    readonly unknown_webhook: {
        readonly status: 404;
        readonly message: 'There is no webhook[ {webhook}].';
        readonly remedy: 'Check the id with `holdfast webhooks list`.';
    };
    readonly webhook_name_taken: {
        readonly status: 409;
        readonly message: 'There is a webhook[ named "{name}"] already.';
        readonly remedy: 'Remove the existing webhook first, or choose another name.';
    };
    readonly webhook_refused: {
        readonly status: 400;
        readonly message: 'This address is not allowed for a webhook[: {problem}].';
        readonly remedy: 'Use https and a public address; one inside your network must be in webhooks.allow (HOLDFAST_WEBHOOKS_ALLOW) of the processes that send.';
    };
    readonly invalid_input: {
        readonly status: 400;
        readonly message: 'The input is not valid[ at {path}][: {problem}].';
        readonly remedy: 'Correct the value at the path given and send it again.';
    };
    readonly payload_too_large: {
        readonly status: 413;
        readonly message: 'The value[ at {path}] is larger than the limit[ {limit}][ of {max} bytes].';
        readonly remedy: 'Keep large data in a file or object store and put its address into the job, or raise the limit.';
    };
    readonly too_deep: {
        readonly status: 400;
        readonly message: 'The value is nested too deep[ at {path}][; at most {max} levels are allowed].';
        readonly remedy: 'Flatten the value, or store it as text.';
    };
    readonly limit_exceeded: {
        readonly status: 429;
        readonly message: 'The limit[ {limit}][ of {max}] is reached.';
        readonly remedy: 'Wait until some have ended, or remove what is not needed, and try again; or raise the limit.';
    };
    readonly unknown_queue: {
        readonly status: 404;
        readonly message: 'There is no queue[ "{queue}"][. Did you mean "{nearest}"?].';
        readonly remedy: 'Create the queue first, or check the spelling with `holdfast queues list`.';
    };
    readonly unknown_preset: {
        readonly status: 400;
        readonly message: 'There is no preset[ "{preset}"][. Did you mean "{nearest}"?].';
        readonly remedy: 'Use one of default, harvest, crawl, pipeline, target, catalog.';
    };
    readonly queue_exists: {
        readonly status: 409;
        readonly message: 'The queue[ "{queue}"] exists already, with another policy.';
        readonly remedy: 'Change the policy of the existing queue, or choose another name.';
    };
    readonly queue_in_use: {
        readonly status: 409;
        readonly message: 'The queue[ "{queue}"] is in use[: {problem}].';
        readonly remedy: 'Let its jobs end or cancel them, delete its schedules, export its items, and try again.';
    };
    readonly wrong_preset: {
        readonly status: 409;
        readonly message: 'The queue[ "{queue}"] has[ the preset {preset},] not[ the preset {wanted}].';
        readonly remedy: 'While its live jobs all wait for their first attempt, change it with `holdfast queues update <queue> --preset <preset>`; or use another queue.';
    };
    readonly no_preset_queue: {
        readonly status: 409;
        readonly message: 'No queue has the preset[ {preset}].';
        readonly remedy: 'Create one with `holdfast queues create <queue> --preset <preset>`, enqueue its first job with that preset, or name a queue.';
    };
    readonly unknown_kind: {
        readonly status: 400;
        readonly message: 'No program has declared the kind[ "{kind}"] of job[ for the queue "{queue}"][. Did you mean "{nearest}"?].';
        readonly remedy: 'Check the spelling with `holdfast kinds`, start a program that declares it, or let the queue accept it: `holdfast queues update <queue> --policy \'{"unknownKinds":"accept"}\'`.';
    };
    readonly invalid_search: {
        readonly status: 400;
        readonly message: 'The search has a mistake[: {problem}][ Did you mean "{nearest}"?].';
        readonly remedy: 'Correct the part at `position`; docs/search.md lists the fields.';
    };
    readonly unknown_job: {
        readonly status: 404;
        readonly message: 'There is no job[ {job}].';
        readonly remedy: 'Check the id; the job may have been pruned, or belong to another tenant.';
    };
    readonly unknown_worker: {
        readonly status: 404;
        readonly message: 'There is no worker[ "{worker}"].';
        readonly remedy: 'Check the name with `holdfast workers`; stopped workers are not listed.';
    };
    readonly kind_not_found: {
        readonly status: 404;
        readonly message: 'No job of the kind[ "{kind}"] was counted, and no program declares it.';
        readonly remedy: 'Check the name with `GET /api/v1/kinds`. A new kind is counted within a minute of its first job.';
    };
    readonly unknown_error_group: {
        readonly status: 404;
        readonly message: 'There is no group of errors[ "{fingerprint}"].';
        readonly remedy: 'List them with `holdfast errors`; a group is deleted when it was not seen for ROLLUP_DAYS.';
    };
    readonly unknown_subject: {
        readonly status: 404;
        readonly message: 'There is no subject[ "{subject}"].';
        readonly remedy: 'Check the id with `holdfast subjects list`.';
    };
    readonly unknown_chore: {
        readonly status: 404;
        readonly message: 'There is no chore[ "{chore}"][. Did you mean "{nearest}"?].';
        readonly remedy: 'See the list with `holdfast upkeep list`.';
    };
    readonly wrong_state: {
        readonly status: 409;
        readonly message: 'The job[ {job}] does not allow the command[ "{verb}"] in its present state[ "{state}"].';
        readonly remedy: 'Run `holdfast jobs explain`: it lists the commands that the job allows now.';
    };
    readonly strict_queue: {
        readonly status: 409;
        readonly message: 'The queue[ "{queue}"] is strict and does not allow this command[: {verb}].';
        readonly remedy: 'Enqueue a job of kind holdfast.cancel to cancel it, or retry it, which creates a new, linked job.';
    };
    readonly lease_lost: {
        readonly status: 409;
        readonly message: 'This attempt[ {attempt}][ of job {job}] no longer holds its lease; nothing was written.';
        readonly remedy: 'Stop the handler: another worker may run the job now, or it has ended. Use a longer lease if this recurs.';
    };
    readonly lease_gone: {
        readonly status: 409;
        readonly message: 'The lease[ {lease}] has expired and was cleared; no job was claimed under it.';
        readonly remedy: 'Open a new lease and claim again; if this recurs, heartbeats do not reach the database in time.';
    };
    readonly lease_stale: {
        readonly status: 409;
        readonly message: 'The lease[ {lease}] is older than the connection to this database; no job was claimed under it.';
        readonly remedy: 'Open a new lease and claim under it. Keep the old one for the jobs it holds: renew it until they have ended, then close it.';
    };
    readonly lease_token_required: {
        readonly status: 400;
        readonly message: 'A write to a running job needs the lease token that came with the claim.';
        readonly remedy: 'Send the `lease_token` of the claim; without it a stale worker could overwrite the work of another.';
    };
    readonly key_taken: {
        readonly status: 409;
        readonly message: 'Another live job[ {job}] holds the key[ "{key}"].';
        readonly remedy: 'Wait until that job ends or cancel it, then try again.';
    };
    readonly idempotency_mismatch: {
        readonly status: 422;
        readonly message: 'The Idempotency-Key[ "{key}"] was used before with another body.';
        readonly remedy: 'Use a fresh Idempotency-Key for each different request.';
    };
    readonly conflict: {
        readonly status: 409;
        readonly message: 'Another process changed the same row at the same moment[: {problem}].';
        readonly remedy: 'Read the present state and try again.';
    };
    readonly job_locked: {
        readonly status: 503;
        readonly message: 'Another transaction has a lock on a job of this call; everything else of it was written.';
        readonly remedy: 'Send the same call again; if this recurs, `holdfast doctor` names the transaction that is left open.';
    };
    readonly deadline_exceeded: {
        readonly status: 504;
        readonly message: 'The call[ {call}] did not finish[ within {ms} ms][: {problem}].';
        readonly remedy: 'Try again; if this recurs, look for long transactions and load with `holdfast doctor`.';
    };
    readonly unavailable: {
        readonly status: 503;
        readonly message: 'The database cannot be reached[: {problem}].';
        readonly remedy: 'Check that Postgres runs and that DATABASE_URL points to it; work continues by itself once it answers.';
    };
    readonly package_missing: {
        readonly status: 503;
        readonly message: 'The package[ {package}][, which {for} needs,] is not installed.';
        readonly remedy: 'Install it beside holdfast: `npm install @aws-sdk/client-sqs`.';
    };
    readonly sqs_refused: {
        readonly status: 502;
        readonly message: 'A call to SQS failed[: {problem}].';
        readonly remedy: 'Try again; if this recurs, check the permissions of the credentials and the attributes of the queue.';
    };
    readonly schema_missing: {
        readonly status: 503;
        readonly message: 'The schema[ "{schema}"] is not installed in this database.';
        readonly remedy: 'Run `holdfast migrate up`.';
    };
    readonly schema_ahead: {
        readonly status: 503;
        readonly message: 'The database schema[ is at version {found} and] is newer than this program[, which knows {known}].';
        readonly remedy: 'Deploy a newer holdfast before this process starts; an older one must not write to this schema.';
    };
    readonly schema_behind: {
        readonly status: 503;
        readonly message: 'The database schema[ is at version {found} and] is older than this program needs[: {known}].';
        readonly remedy: 'Run `holdfast migrate up`.';
    };
    readonly schema_name_invalid: {
        readonly status: 400;
        readonly message: 'The schema name[ "{schema}"] cannot be used.';
        readonly remedy: 'Use 1 to 40 lower-case letters, digits and underscores, beginning with a letter and not with pg_.';
    };
    readonly not_utf8: {
        readonly status: 503;
        readonly message: 'The database encoding is[ {encoding},] not UTF8.';
        readonly remedy: "Create a database with `create database … encoding 'UTF8' template template0` and use that one.";
    };
    readonly postgres_too_old: {
        readonly status: 503;
        readonly message: 'This Postgres[ is version {found} and] is too old[; {needed} or later is needed].';
        readonly remedy: 'Upgrade the server to Postgres 15 or later, or leave DATABASE_URL empty to use the embedded one.';
    };
    readonly create_privilege_missing: {
        readonly status: 503;
        readonly message: 'The database user[ "{user}"] may not create a schema[ in database "{database}"].';
        readonly remedy: 'Grant it: `grant create on database … to …`, or run `holdfast migrate sql` and let an owner apply it.';
    };
    readonly tenant_denied: {
        readonly status: 403;
        readonly message: 'This user of the database may not act for the tenant[ "{tenant}"].';
        readonly remedy: "Let the server's role grant it: `select holdfast.grant_tenant('the_role', 'the_tenant')`.";
    };
    readonly forbidden: {
        readonly status: 403;
        readonly message: 'The database role that is connected may not do this[: {problem}].';
        readonly remedy: 'Connect as a user with the right role; docs/roles.md lists what each role may do.';
    };
    readonly role_privilege_missing: {
        readonly status: 503;
        readonly message: 'The database user[ "{user}"] may not install or change the roles of the schema[ "{schema}"][: {problem}].';
        readonly remedy: 'Use the owner of the schema and grant it CREATEROLE, or let a superuser apply sql/roles.sql. Holdfast also works without roles.';
    };
    readonly embedded_in_use: {
        readonly status: 503;
        readonly message: 'Another process[ {pid}] already uses the embedded database[ in {folder}].';
        readonly remedy: 'Stop that process, choose another folder, or set DATABASE_URL to share one server.';
    };
    readonly embedded_unavailable: {
        readonly status: 503;
        readonly message: 'The embedded Postgres cannot run here[: {problem}].';
        readonly remedy: 'Set DATABASE_URL to a Postgres 15 or later, or allow the in-process database.';
    };
    readonly internal: {
        readonly status: 500;
        readonly message: 'Something unexpected happened inside Holdfast[: {problem}].';
        readonly remedy: 'Please report it with the request id and the log lines around it.';
    };
    readonly app_stopped: {
        readonly status: 503;
        readonly message: 'This app was stopped[; it cannot {call} any more].';
        readonly remedy: 'Call it before `stop()`, or open another app with `holdfast()`.';
    };
    readonly idempotency_in_flight: {
        readonly status: 409;
        readonly message: 'A request with this Idempotency-Key is still in progress.';
        readonly remedy: 'Send it again in a moment: you will get the answer of the first request.';
    };
    readonly server_unreachable: {
        readonly status: 503;
        readonly message: 'The server cannot be reached[: {problem}].';
        readonly remedy: 'Check its address and that it runs. Calls that are safe to repeat were retried several times.';
    };
    readonly unauthorized: {
        readonly status: 401;
        readonly message: 'This call needs a valid key[: {problem}].';
        readonly remedy: 'Send `Authorization: Bearer hf_…` with a live key; `holdfast keys create` makes one.';
    };
    readonly scope_missing: {
        readonly status: 403;
        readonly message: 'This key lacks the scope of the call[: "{scope}"].';
        readonly remedy: 'Use a key that has the scope; `holdfast keys list` shows which key may do what.';
    };
    readonly wrong_tenant: {
        readonly status: 403;
        readonly message: 'This key acts for another tenant[ than "{tenant}"].';
        readonly remedy: 'Use a key of that tenant, or one made with `--every-tenant`; the tenant of a call comes from its key alone.';
    };
    readonly csrf_token_missing: {
        readonly status: 403;
        readonly message: 'This call has a session cookie, changes something, and lacks the CSRF token of that session.';
        readonly remedy: 'Send the `csrf_token` of `GET /api/v1/session` in the header `x-csrf-token`.';
    };
    readonly read_only: {
        readonly status: 403;
        readonly message: 'This server is read-only; it refused a call that changes something.';
        readonly remedy: 'Use a server that was started without `--read-only`.';
    };
    readonly cross_site: {
        readonly status: 403;
        readonly message: 'A page of another site made this call through a browser; the server refused it.';
        readonly remedy: 'Call from a page of this server, or from a program instead of a browser.';
    };
    readonly wrong_host: {
        readonly status: 421;
        readonly message: 'This server needs no key and therefore answers on this machine only[, not as "{host}"].';
        readonly remedy: 'Call it as localhost or 127.0.0.1, or make a key with `holdfast keys create`.';
    };
    readonly unknown_key: {
        readonly status: 404;
        readonly message: 'There is no live key[ {key}].';
        readonly remedy: 'Check the id with `holdfast keys list`.';
    };
    readonly key_name_taken: {
        readonly status: 409;
        readonly message: 'There is a live key[ named "{name}"] already.';
        readonly remedy: 'Choose another name, or rotate the key.';
    };
    readonly unknown_setting: {
        readonly status: 404;
        readonly message: 'There is no setting[ "{name}"][. Did you mean "{nearest}"?].';
        readonly remedy: 'See the list of settings, or `holdfast settings list`.';
    };
    readonly setting_overridden: {
        readonly status: 409;
        readonly message: 'The setting[ {name}] has another value[ because of {origin}], which wins over the database.';
        readonly remedy: 'Remove that flag or variable first, at this server and at the workers.';
    };
    readonly unknown_route: {
        readonly status: 404;
        readonly message: 'This server has no such route[. Did you mean {nearest}?].';
        readonly remedy: 'See /docs for the list of routes, or /openapi.json for programs.';
    };
    readonly method_not_allowed: {
        readonly status: 405;
        readonly message: 'This route does not support the method[ {method}][; it supports {allowed}].';
        readonly remedy: 'Use one of the methods in the Allow header; /docs describes each.';
    };
    readonly unsupported_media_type: {
        readonly status: 415;
        readonly message: 'The body is not JSON, or is not declared as JSON[: its type is {type}].';
        readonly remedy: 'Send JSON with the header `Content-Type: application/json`.';
    };
    readonly malformed_request: {
        readonly status: 400;
        readonly message: 'The request is malformed[: {problem}].';
        readonly remedy: 'Check the client, or a proxy between it and this server.';
    };
    readonly request_timeout: {
        readonly status: 408;
        readonly message: 'The request took too long to arrive.';
        readonly remedy: 'Send it again; if this recurs, look at the network between client and server.';
    };
    readonly headers_too_large: {
        readonly status: 431;
        readonly message: 'The headers are larger than the limit headerBytesMax.';
        readonly remedy: 'Send fewer or shorter headers.';
    };
    readonly draining: {
        readonly status: 503;
        readonly message: 'This server is shutting down.';
        readonly remedy: 'Try again in a moment: another server answers, or this one after its restart.';
    };
    readonly unknown_schedule: {
        readonly status: 404;
        readonly message: 'There is no schedule[ "{schedule}"][. Did you mean "{nearest}"?].';
        readonly remedy: 'Check the name with `holdfast schedules list`.';
    };
    readonly schedule_exists: {
        readonly status: 409;
        readonly message: 'There is a schedule[ named "{name}"] already.';
        readonly remedy: 'Choose another name, or change the schedule that has it.';
    };
    readonly schedule_declared: {
        readonly status: 409;
        readonly message: 'A program declares the schedule[ "{schedule}"] by name and would create it again.';
        readonly remedy: 'Change the name in the program, start it, and delete the schedule that has the old one.';
    };
    readonly schedule_not_declared: {
        readonly status: 409;
        readonly message: 'No program declares the schedule[ "{schedule}"], so there is no declaration to return to.';
        readonly remedy: 'Change its fields one by one.';
    };
};

const FACETS: readonly ['state', 'queue', 'kind', 'error', 'version'];

const FIRING_OUTCOMES: readonly ['created', 'deduplicated', 'skipped', 'missed', 'manual', 'waiting'];

const HTTP_LIMITS: {
    readonly bodyBytesMax: number;
    readonly bodyDepthMax: 256;
    readonly bodyValuesMax: 500000;
    readonly numberCharsMax: 400;
    readonly largeBodyBytes: number;
    readonly largeBodiesPerTenantMax: 4;
    readonly largeBodiesMax: 8;
    readonly headerBytesMax: number;
    readonly headersMs: 10000;
    readonly requestMs: 30000;
    readonly checkMs: 1000;
    readonly keepAliveMs: 65000;
    readonly socketIdleMs: 90000;
    readonly lingerMs: 2000;
    readonly heartbeatMs: 15000;
    readonly waitsPerTenantMax: 2000;
    readonly connectionsMax: 10000;
    readonly keyCacheMs: 1000;
    readonly unauthenticatedRowsPerMinute: 60;
    readonly sessionIdleMs: number;
    readonly sessionLifetimeMs: number;
    readonly sessionsPerKeyMax: 100;
    readonly keysCachedMax: 10000;
};

const HUB_LIMITS: {
    readonly pollEveryMs: 1000;
    readonly countEveryMs: 2000;
    readonly lingerMs: 30000;
    readonly entriesMax: 10000;
    readonly charsMax: number;
    readonly lostMs: 10000;
};

const KEYS: {
    readonly 'database.url': Key<string, undefined>;
    readonly 'database.schema': Key<string, "holdfast">;
    readonly 'database.folder': Key<string, ".holdfast">;
    readonly 'database.embedded': Key<boolean, boolean>;
    readonly 'database.wait_seconds': Key<number, 30>;
    readonly 'database.notify': Key<boolean, boolean>;
    readonly 'workers.default_count': Key<number, 2>;
    readonly 'workers.max_count': Key<number, 8>;
    readonly 'workers.tenants': Key<string, undefined>;
    readonly 'workers.poll_interval_ms': Key<number, 250>;
    readonly 'workers.lease_timeout_seconds': Key<number, 30>;
    readonly 'workers.scale_interval_ms': Key<number, 1000>;
    readonly 'workers.max_wait_ms': Key<number, undefined>;
    readonly 'server.host': Key<string, "127.0.0.1">;
    readonly 'server.port': Key<number, 8080>;
    readonly 'server.admin_key': Key<string, undefined>;
    readonly 'server.base_path': Key<string, "/">;
    readonly 'server.trust_proxy': Key<boolean, boolean>;
    readonly 'server.redact': Key<string, undefined>;
    readonly 'webhooks.allow': Key<string, undefined>;
    readonly 'webhooks.ca_file': Key<string, undefined>;
    readonly 'metrics.port': Key<number, undefined>;
    readonly 'metrics.host': Key<string, "127.0.0.1">;
    readonly 'metrics.token': Key<string, undefined>;
    readonly 'sqs.queue_url': Key<string, undefined>;
    readonly 'sqs.dead_letter_url': Key<string, undefined>;
    readonly 'sqs.endpoint': Key<string, undefined>;
    readonly 'sqs.region': Key<string, undefined>;
    readonly 'sqs.trigger': Key<string, "sqs">;
    readonly 'sqs.resend_seconds': Key<number, 300>;
    readonly 'sqs.fallback_poll_seconds': Key<number, 30>;
    readonly 'sqs.reconcile_seconds': Key<number, 900>;
    readonly 'log.level': Key<string, string>;
    readonly 'log.format': Key<string, string>;
    readonly 'settings.UPKEEP_EVERY_SEC': Key<number, number>;
    readonly 'settings.SCHEDULER_EVERY_SEC': Key<number, number>;
    readonly 'settings.STALE_CHECK_EVERY_SEC': Key<number, number>;
    readonly 'settings.PROCESSING_POLL_MS': Key<number, number>;
    readonly 'settings.STALE_DAYS': Key<number, number>;
    readonly 'settings.RESET_CRAWLING_AFTER_MIN': Key<number, number>;
    readonly 'settings.SHUTDOWN_GRACE_PERIOD_SECONDS': Key<number, number>;
};

const LABEL_VALUES_MAX = 100;

const LIMITS: {
    readonly payloadBytesMax: Limit;
    readonly depthMax: Limit;
    readonly resultBytesMax: Limit;
    readonly errorMessageBytesMax: Limit;
    readonly stackBytesMax: Limit;
    readonly logExcerptBytesMax: Limit;
    readonly progressBytesMax: Limit;
    readonly cursorBytesMax: Limit;
    readonly itemsPerReportMax: Limit;
    readonly itemBytesMax: Limit;
    readonly reportBytesMax: Limit;
    readonly nameChars: Limit;
    readonly keyChars: Limit;
    readonly targetChars: Limit;
    readonly idempotencyKeyChars: Limit;
    readonly reasonChars: Limit;
    readonly priority: Limit;
    readonly leaseMs: Limit;
    readonly waitMs: Limit;
    readonly runAtAheadMs: Limit;
    readonly delayMs: Limit;
    readonly timeoutMs: Limit;
    readonly staleAfterMs: Limit;
    readonly batchMax: Limit;
    readonly pageMax: Limit;
    readonly bulkIdsMax: Limit;
    readonly searchChars: Limit;
    readonly searchTerms: Limit;
    readonly searchValues: Limit;
    readonly searchBudgetMs: Limit;
    readonly searchedRows: Limit;
    readonly searchPaths: Limit;
    readonly searchMatches: Limit;
    readonly bulkJobsMax: Limit;
    readonly bulkCountMax: Limit;
    readonly bulkOpenMax: Limit;
    readonly savedViewsMax: Limit;
    readonly savedViewNameChars: Limit;
    readonly savedViewColumnsMax: Limit;
    readonly labelsMax: Limit;
    readonly maxRetries: Limit;
    readonly maxAttempts: Limit;
    readonly descriptionChars: Limit;
    readonly catchUpMax: Limit;
    readonly scheduleJitterMs: Limit;
    readonly previewMax: Limit;
    readonly crashBudget: Limit;
    readonly kindsCountedMax: Limit;
    readonly versionsPerKindMax: Limit;
    readonly errorGroupsMax: Limit;
    readonly errorSamplesMax: Limit;
    readonly problemsPerTypeMax: Limit;
    readonly placeCountMax: Limit;
    readonly workerJobsMax: Limit;
};

const MESSAGE_OUTCOMES: {
    readonly claimed: 'its job was claimed, and the message deleted when the attempt had ended';
    readonly duplicate: 'its job was running already, here or elsewhere';
    readonly late: 'its job had ended';
    readonly early: 'its job is not due; when it is, another message says so';
    readonly blocked: 'its job is set aside; when it is let go, another message says so';
    readonly deferred: 'its job could not be started now (a limit, a paused queue); it is announced again a little later';
    readonly unknown: 'there is no such job';
    readonly unrecognized: 'it is not a message of ours; left where it is';
    readonly otherQueue: 'its job is of a queue this worker does not serve; left for those who do';
    readonly returned: 'given back at a shutdown, before its job was claimed';
};

const NOTIFIED_EVENTS: readonly ['firing', 'cleared'];

const OTHERS: {
    sent: number;
    resent: number;
    deadLettered: number;
    sendFailures: number;
    obsolete: number;
    backfilled: number;
    received: number;
    receiveFailures: number;
    deleted: number;
    deleteFailures: number;
    extended: number;
    extendFailures: number;
    lost: number;
    polled: number;
    reconciled: number;
    reconcileFailures: number;
    redriven: number;
    cleared: number;
    deadLettersAdded: number;
};

const OUTCOMES: readonly ['succeeded', 'failed', 'canceled', 'snoozed', 'released', 'parked'];

const OVERLAPS: readonly ['allow', 'skip', 'queue_one', 'cancel_old'];

const PLACES: readonly ['delayed', 'ready', 'running', 'waiting', 'blocked', 'paused', 'parked', 'pending'];

const PLACES: readonly ['held', 'delayed', 'ready', 'running', 'attempt'];

const POLICY_VALUES: {
    readonly order: readonly ['priority', 'fifo', 'global_fifo'];
    readonly renewedBy: readonly ['heartbeat', 'report', 'nothing'];
    readonly onLeaseLost: readonly ['retry', 'count', 'error'];
    readonly onCancel: readonly ['cancel', 'pause'];
    readonly onShutdown: readonly ['release', 'pause'];
    readonly onError: readonly ['continue', 'block'];
    readonly dedup: readonly ['return_existing', 'replace', 'reject'];
    readonly dedupBy: readonly ['key', 'subject'];
    readonly unknownKinds: readonly ['refuse', 'accept'];
};

const PRESETS: Readonly<Record<PresetName, Policy>>;

const PRESET_NAMES: readonly ['default', 'harvest', 'crawl', 'pipeline', 'target', 'catalog'];

const PRIORITIES: {
    readonly user: 60;
    readonly scheduled: 20;
    readonly background: 0;
};

const PROBLEM_SEVERITIES: readonly ['critical', 'warning'];

const PROBLEM_TYPES: readonly ['failing_kind', 'no_worker', 'blocked_target', 'oldest_ready', 'late_schedule', 'paused_queue', 'stuck_upkeep', 'alert'];

const ROLES: readonly ['producer', 'worker', 'operator', 'reader', 'server'];

const SCOPES: readonly ['enqueue', 'work', 'read', 'operate', 'admin'];

const SERIES_MAX = 1000;

const SETTINGS: {
    readonly LEASE_SEC_DEFAULT: {
        readonly default: 60;
        readonly min: 1;
        readonly max: number;
        readonly of: 'seconds a lease lasts when neither queue nor claim says';
        readonly only: "only for queues of the preset harvest, and others whose policy leaves it open";
    };
    readonly BACKOFF_BASE_SEC: {
        readonly default: 30;
        readonly min: 0;
        readonly max: number;
        readonly of: 'seconds before the first retry';
        readonly only: "only for queues of the preset harvest, and others whose policy leaves it open";
    };
    readonly BACKOFF_MAX_SEC: {
        readonly default: 3600;
        readonly min: 0;
        readonly max: number;
        readonly of: 'most seconds between two retries, before jitter';
        readonly only: "only for queues of the preset harvest, and others whose policy leaves it open";
    };
    readonly MAX_ATTEMPTS_DEFAULT: {
        readonly default: 5;
        readonly min: 1;
        readonly max: 1001;
        readonly of: 'runs of a job, the first one included';
        readonly only: "only for queues of the preset harvest, and others whose policy leaves it open";
    };
    readonly PARTITION_JOBS: {
        readonly default: 1000000;
        readonly min: 1000;
        readonly max: 1000000000;
        readonly of: 'jobs in one range of history, for ranges made from now on';
    };
    readonly AGE_AFTER_SEC: {
        readonly default: 3600;
        readonly min: 1;
        readonly max: number;
        readonly of: 'seconds a job waits before its priority rises';
        readonly only: "only for queues ordered by priority, as those of the presets default and crawl are";
    };
    readonly AGE_STEP: {
        readonly default: 10;
        readonly min: 0;
        readonly max: 100;
        readonly of: 'how much the priority of a waiting job rises at once';
        readonly only: "only for queues ordered by priority, as those of the presets default and crawl are";
    };
    readonly AGE_CAP: {
        readonly default: 100;
        readonly min: 0;
        readonly max: 100;
        readonly of: 'how high waiting alone can raise a priority';
        readonly only: "only for queues ordered by priority, as those of the presets default and crawl are";
    };
    readonly AGE_EVERY_SEC: {
        readonly default: 300;
        readonly min: 1;
        readonly max: number;
        readonly of: 'seconds between two rises of a waiting job’s priority';
        readonly only: "only for queues ordered by priority, as those of the presets default and crawl are";
    };
    readonly RECLAIM_INTERVAL_MS: {
        readonly default: 1000;
        readonly min: 50;
        readonly max: 60000;
        readonly of: 'milliseconds between two looks for leases that have run out';
    };
    readonly UPKEEP_EVERY_SEC: {
        readonly default: 300;
        readonly min: 1;
        readonly max: number;
        readonly of: 'seconds between two rounds of tidying up';
    };
    readonly SCHEDULER_EVERY_SEC: {
        readonly default: 60;
        readonly min: 1;
        readonly max: number;
        readonly of: 'seconds between two looks for schedules to fire, where none is known to be due sooner';
    };
    readonly STALE_CHECK_EVERY_SEC: {
        readonly default: number;
        readonly min: 1;
        readonly max: number;
        readonly of: 'seconds between two looks for subjects that are due again';
    };
    readonly PROCESSING_POLL_MS: {
        readonly default: 5000;
        readonly min: 50;
        readonly max: 60000;
        readonly of: 'longest milliseconds between two polls of an idle worker that gets wake-ups';
    };
    readonly ROLLUP_EVERY_SEC: {
        readonly default: 60;
        readonly min: 1;
        readonly max: number;
        readonly of: 'seconds between two rounds of counting what happened';
    };
    readonly ROLLUP_DAYS: {
        readonly default: 30;
        readonly min: 1;
        readonly max: 3650;
        readonly of: 'days the counts of each minute are kept';
    };
    readonly STALE_DAYS: {
        readonly default: 30;
        readonly min: 1;
        readonly max: 3650;
        readonly of: 'days after which a subject is due again';
    };
    readonly RESET_CRAWLING_AFTER_MIN: {
        readonly default: 15;
        readonly min: 1;
        readonly max: number;
        readonly of: 'minutes without progress after which a crawl counts as lost';
        readonly only: 'only for queues of the preset crawl';
    };
    readonly SHUTDOWN_GRACE_PERIOD_SECONDS: {
        readonly default: 300;
        readonly min: 0;
        readonly max: number;
        readonly of: 'seconds a worker that was asked to end gives its running jobs';
    };
    readonly FIRING_DAYS: {
        readonly default: 90;
        readonly min: 1;
        readonly max: 3650;
        readonly of: 'days the firings of schedules are kept';
    };
    readonly AUDIT_DAYS: {
        readonly default: 90;
        readonly min: 1;
        readonly max: 3650;
        readonly of: 'days the calls of the server are kept in its audit log';
    };
    readonly ALERTS_PER_TENANT: {
        readonly default: 100;
        readonly min: 1;
        readonly max: 1000;
        readonly of: 'alerts of one tenant that stand at once; what is found beyond is raised when others have cleared';
    };
    readonly ALERT_EVERY_SEC: {
        readonly default: 15;
        readonly min: 1;
        readonly max: number;
        readonly of: 'seconds between two evaluations of the alerts';
    };
    readonly ALERT_FOR_SEC: {
        readonly default: 60;
        readonly min: 0;
        readonly max: number;
        readonly of: 'seconds something must be wrong before its alert fires';
    };
    readonly ALERT_CLEAR_SEC: {
        readonly default: 120;
        readonly min: 0;
        readonly max: number;
        readonly of: 'seconds it must be right again before the alert clears';
    };
    readonly ALERT_DAYS: {
        readonly default: 30;
        readonly min: 1;
        readonly max: 3650;
        readonly of: 'days the history of alerts is kept';
    };
    readonly ALERT_DEPTH_JOBS: {
        readonly default: 1000;
        readonly min: 0;
        readonly max: 100000;
        readonly of: 'claimable jobs of a queue above which it is too deep';
    };
    readonly ALERT_FAILED_PERCENT: {
        readonly default: 10;
        readonly min: 0;
        readonly max: 100;
        readonly of: 'percent of the jobs that ended in 15 minutes above which too many failed';
    };
    readonly ALERT_FAILED_MIN_ENDED: {
        readonly default: 20;
        readonly min: 1;
        readonly max: 1000000;
        readonly of: 'jobs that must have ended in those 15 minutes for the percentage to count';
    };
    readonly ALERT_RUNNING_SEC: {
        readonly default: number;
        readonly min: 1;
        readonly max: number;
        readonly of: 'seconds after which an attempt runs too long';
    };
    readonly ALERT_LATE_TICKS: {
        readonly default: 2;
        readonly min: 1;
        readonly max: 1000;
        readonly of: 'rounds of the scheduler by which a schedule may be late';
    };
    readonly ALERT_NO_WORKER_JOBS: {
        readonly default: 0;
        readonly min: 0;
        readonly max: 100000;
        readonly of: 'jobs of a kind that no live worker knows above which one is missing';
    };
    readonly ALERT_OLDEST_READY_SEC: {
        readonly default: 900;
        readonly min: 1;
        readonly max: number;
        readonly of: 'seconds after which a claimable job waits too long';
    };
    readonly ALERT_LEASES_LOST: {
        readonly default: 10;
        readonly min: 0;
        readonly max: 1000000;
        readonly of: 'attempts of a queue that lost their lease in 15 minutes above which workers are dying';
    };
    readonly ALERT_BLOCKED_SEC: {
        readonly default: number;
        readonly min: 1;
        readonly max: number;
        readonly of: 'seconds after which a target is blocked too long';
    };
    readonly ALERT_SNAPSHOT_SEC: {
        readonly default: number;
        readonly min: 1;
        readonly max: number;
        readonly of: 'seconds after which an open transaction keeps the database from cleaning up';
    };
};

const SPANS: {
    readonly '1h': {
        readonly stepMinutes: 1;
        readonly points: 60;
    };
    readonly '24h': {
        readonly stepMinutes: 15;
        readonly points: 96;
    };
    readonly '7d': {
        readonly stepMinutes: 60;
        readonly points: 168;
    };
};

const SQS_LIMITS: {
    readonly resendMs: readonly [1000, 86400000];
    readonly fallbackPollMs: readonly [100, 86400000];
    readonly deferMs: readonly [100, 3600000];
    readonly pollMs: readonly [10, 60000];
    readonly reconcileMs: readonly [1000, 86400000];
    readonly waitSeconds: readonly [0, 20];
};

const STATES: readonly State[];

const STATES_IN: {
    readonly held: readonly ["pending", "waiting", "paused", "errored", "parked"];
    readonly delayed: readonly ["scheduled", "retrying"];
    readonly ready: readonly ["queued"];
    readonly running: readonly ["assigned", "running"];
    readonly attempt: readonly ["succeeded", "failed", "canceled"];
};

const SUBJECT_TYPES: readonly ['queue', 'kind', 'target', 'schedule', 'chore', 'installation'];

const SUGGESTED_FIELDS: readonly ['queue', 'kind', 'worker', 'version'];

const WORK_KINDS: {
    readonly 'send-email': {
        readonly durationMs: 60;
        readonly outcome: 'success';
    };
    readonly 'resize-image': {
        readonly durationMs: 250;
        readonly outcome: 'success';
    };
    readonly 'render-video': {
        readonly durationMs: 2000;
        readonly outcome: 'success';
    };
    readonly 'charge-card': {
        readonly durationMs: 150;
        readonly outcome: 'fail';
        readonly retryable: true;
        readonly attempts: 1;
    };
    readonly 'call-partner': {
        readonly durationMs: 300;
        readonly outcome: 'fail';
        readonly retryable: true;
    };
    readonly 'parse-upload': {
        readonly durationMs: 80;
        readonly outcome: 'fail';
        readonly retryable: false;
    };
    readonly 'expired-offer': {
        readonly durationMs: 40;
        readonly outcome: 'cancel';
    };
};

const alertsContract: {
    readonly listAlerts: {
        readonly method: "GET";
        readonly path: "/api/v1/alerts";
        readonly scope: "read";
        readonly tag: "alerts";
        readonly summary: "List alerts: pending and firing ones, those of one state, or all.";
        readonly query: z.ZodObject<{
            page_size: z.ZodDefault<z.ZodPreprocess<z.ZodInt, unknown>>;
            page_token: z.ZodOptional<z.ZodString>;
            state: z.ZodDefault<z.ZodEnum<{
                any: "any";
                cleared: "cleared";
                firing: "firing";
                live: "live";
                pending: "pending";
            }>>;
            rule: z.ZodOptional<z.ZodEnum<{
                blocked_target: "blocked_target";
                depth: "depth";
                failed_rate: "failed_rate";
                leases_lost: "leases_lost";
                no_worker: "no_worker";
                old_snapshot: "old_snapshot";
                oldest_ready: "oldest_ready";
                running_long: "running_long";
                schedule_late: "schedule_late";
            }>>;
        }, z.core.$strict>;
        readonly response: {
            200: z.ZodObject<{
                alerts: z.ZodArray<z.ZodObject<{
                    tenant: z.ZodString;
                    rule: z.ZodString;
                    subject: z.ZodString;
                    id: z.ZodInt;
                    state: z.ZodEnum<{
                        cleared: "cleared";
                        firing: "firing";
                        pending: "pending";
                    }>;
                    value: z.ZodNumber;
                    threshold: z.ZodNumber;
                    summary: z.ZodString;
                    data: z.ZodNullable<z.ZodRecord<z.ZodString, z.ZodUnknown>>;
                    since: z.ZodISODateTime;
                    fired_at: z.ZodNullable<z.ZodISODateTime>;
                    seen_at: z.ZodISODateTime;
                    silenced_until: z.ZodNullable<z.ZodISODateTime>;
                    silenced_by: z.ZodNullable<z.ZodString>;
                    silence_reason: z.ZodNullable<z.ZodString>;
                }, z.core.$strip>>;
                next_page_token: z.ZodNullable<z.ZodString>;
            }, z.core.$strip>;
        };
        readonly errors: readonly [];
    };
    readonly listAlertHistory: {
        readonly method: "GET";
        readonly path: "/api/v1/alerts/history";
        readonly scope: "read";
        readonly tag: "alerts";
        readonly summary: "List events of the alerts of the tenant, newest first.";
        readonly query: z.ZodObject<{
            page_size: z.ZodDefault<z.ZodPreprocess<z.ZodInt, unknown>>;
            page_token: z.ZodOptional<z.ZodString>;
        }, z.core.$strict>;
        readonly response: {
            200: z.ZodObject<{
                events: z.ZodArray<z.ZodObject<{
                    tenant: z.ZodString;
                    rule: z.ZodString;
                    subject: z.ZodString;
                    id: z.ZodInt;
                    alert_id: z.ZodInt;
                    at: z.ZodISODateTime;
                    type: z.ZodEnum<{
                        cleared: "cleared";
                        firing: "firing";
                        passed: "passed";
                        pending: "pending";
                        silenced: "silenced";
                        unsilenced: "unsilenced";
                    }>;
                    value: z.ZodNullable<z.ZodNumber>;
                    threshold: z.ZodNullable<z.ZodNumber>;
                    actor: z.ZodNullable<z.ZodString>;
                    reason: z.ZodNullable<z.ZodString>;
                    data: z.ZodNullable<z.ZodRecord<z.ZodString, z.ZodUnknown>>;
                }, z.core.$strip>>;
                next_page_token: z.ZodNullable<z.ZodString>;
            }, z.core.$strip>;
        };
        readonly errors: readonly [];
    };
    readonly listAlertRules: {
        readonly method: "GET";
        readonly path: "/api/v1/alert-rules";
        readonly scope: "read";
        readonly tag: "alerts";
        readonly summary: "List alert rules of the tenant, with exceptions for subjects.";
        readonly response: {
            200: z.ZodObject<{
                rules: z.ZodArray<z.ZodObject<{
                    rule: z.ZodEnum<{
                        blocked_target: "blocked_target";
                        depth: "depth";
                        failed_rate: "failed_rate";
                        leases_lost: "leases_lost";
                        no_worker: "no_worker";
                        old_snapshot: "old_snapshot";
                        oldest_ready: "oldest_ready";
                        running_long: "running_long";
                        schedule_late: "schedule_late";
                    }>;
                    subject: z.ZodString;
                    enabled: z.ZodBoolean;
                    threshold: z.ZodNumber;
                    for_sec: z.ZodInt;
                    clear_sec: z.ZodInt;
                    unit: z.ZodString;
                    of: z.ZodString;
                    setting: z.ZodString;
                    origin: z.ZodEnum<{
                        set: "set";
                        setting: "setting";
                    }>;
                }, z.core.$strip>>;
            }, z.core.$strip>;
        };
        readonly errors: readonly [];
    };
    readonly setAlertRule: {
        readonly method: "PUT";
        readonly path: "/api/v1/alert-rules/{rule}";
        readonly scope: "admin";
        readonly tag: "alerts";
        readonly summary: "Change an alert rule for the tenant. Null restores the value of the settings.";
        readonly params: z.ZodObject<{
            rule: z.ZodString;
        }, z.core.$strict>;
        readonly body: z.ZodObject<{
            subject: z.ZodDefault<z.ZodString>;
            enabled: z.ZodOptional<z.ZodNullable<z.ZodBoolean>>;
            threshold: z.ZodOptional<z.ZodNullable<z.ZodNumber>>;
            for_sec: z.ZodOptional<z.ZodNullable<z.ZodInt>>;
            clear_sec: z.ZodOptional<z.ZodNullable<z.ZodInt>>;
            reason: z.ZodOptional<z.ZodString>;
        }, z.core.$strict>;
        readonly response: {
            200: z.ZodObject<{
                rules: z.ZodArray<z.ZodObject<{
                    rule: z.ZodEnum<{
                        blocked_target: "blocked_target";
                        depth: "depth";
                        failed_rate: "failed_rate";
                        leases_lost: "leases_lost";
                        no_worker: "no_worker";
                        old_snapshot: "old_snapshot";
                        oldest_ready: "oldest_ready";
                        running_long: "running_long";
                        schedule_late: "schedule_late";
                    }>;
                    subject: z.ZodString;
                    enabled: z.ZodBoolean;
                    threshold: z.ZodNumber;
                    for_sec: z.ZodInt;
                    clear_sec: z.ZodInt;
                    unit: z.ZodString;
                    of: z.ZodString;
                    setting: z.ZodString;
                    origin: z.ZodEnum<{
                        set: "set";
                        setting: "setting";
                    }>;
                }, z.core.$strip>>;
            }, z.core.$strip>;
        };
        readonly errors: readonly ["unknown_alert_rule"];
    };
    readonly getAlert: {
        readonly method: "GET";
        readonly path: "/api/v1/alerts/{id}";
        readonly scope: "read";
        readonly tag: "alerts";
        readonly summary: "Get an alert.";
        readonly params: z.ZodObject<{
            id: z.ZodPreprocess<z.ZodInt, unknown>;
        }, z.core.$strict>;
        readonly response: {
            200: z.ZodObject<{
                tenant: z.ZodString;
                rule: z.ZodString;
                subject: z.ZodString;
                id: z.ZodInt;
                state: z.ZodEnum<{
                    cleared: "cleared";
                    firing: "firing";
                    pending: "pending";
                }>;
                value: z.ZodNumber;
                threshold: z.ZodNumber;
                summary: z.ZodString;
                data: z.ZodNullable<z.ZodRecord<z.ZodString, z.ZodUnknown>>;
                since: z.ZodISODateTime;
                fired_at: z.ZodNullable<z.ZodISODateTime>;
                seen_at: z.ZodISODateTime;
                silenced_until: z.ZodNullable<z.ZodISODateTime>;
                silenced_by: z.ZodNullable<z.ZodString>;
                silence_reason: z.ZodNullable<z.ZodString>;
            }, z.core.$strip>;
        };
        readonly errors: readonly ["unknown_alert"];
    };
    readonly getAlertHistory: {
        readonly method: "GET";
        readonly path: "/api/v1/alerts/{id}/history";
        readonly scope: "read";
        readonly tag: "alerts";
        readonly summary: "List events of an alert, newest first.";
        readonly params: z.ZodObject<{
            id: z.ZodPreprocess<z.ZodInt, unknown>;
        }, z.core.$strict>;
        readonly query: z.ZodObject<{
            page_size: z.ZodDefault<z.ZodPreprocess<z.ZodInt, unknown>>;
            page_token: z.ZodOptional<z.ZodString>;
        }, z.core.$strict>;
        readonly response: {
            200: z.ZodObject<{
                events: z.ZodArray<z.ZodObject<{
                    tenant: z.ZodString;
                    rule: z.ZodString;
                    subject: z.ZodString;
                    id: z.ZodInt;
                    alert_id: z.ZodInt;
                    at: z.ZodISODateTime;
                    type: z.ZodEnum<{
                        cleared: "cleared";
                        firing: "firing";
                        passed: "passed";
                        pending: "pending";
                        silenced: "silenced";
                        unsilenced: "unsilenced";
                    }>;
                    value: z.ZodNullable<z.ZodNumber>;
                    threshold: z.ZodNullable<z.ZodNumber>;
                    actor: z.ZodNullable<z.ZodString>;
                    reason: z.ZodNullable<z.ZodString>;
                    data: z.ZodNullable<z.ZodRecord<z.ZodString, z.ZodUnknown>>;
                }, z.core.$strip>>;
                next_page_token: z.ZodNullable<z.ZodString>;
            }, z.core.$strip>;
        };
        readonly errors: readonly ["unknown_alert"];
    };
    readonly silenceAlert: {
        readonly method: "POST";
        readonly path: "/api/v1/alerts/{id}/silence";
        readonly scope: "operate";
        readonly tag: "alerts";
        readonly summary: "Silence an alert: no webhook is called for a while.";
        readonly params: z.ZodObject<{
            id: z.ZodPreprocess<z.ZodInt, unknown>;
        }, z.core.$strict>;
        readonly body: z.ZodObject<{
            until: z.ZodOptional<z.ZodISODateTime>;
            for_ms: z.ZodOptional<z.ZodInt>;
            reason: z.ZodOptional<z.ZodString>;
        }, z.core.$strict>;
        readonly response: {
            200: z.ZodObject<{
                tenant: z.ZodString;
                rule: z.ZodString;
                subject: z.ZodString;
                id: z.ZodInt;
                state: z.ZodEnum<{
                    cleared: "cleared";
                    firing: "firing";
                    pending: "pending";
                }>;
                value: z.ZodNumber;
                threshold: z.ZodNumber;
                summary: z.ZodString;
                data: z.ZodNullable<z.ZodRecord<z.ZodString, z.ZodUnknown>>;
                since: z.ZodISODateTime;
                fired_at: z.ZodNullable<z.ZodISODateTime>;
                seen_at: z.ZodISODateTime;
                silenced_until: z.ZodNullable<z.ZodISODateTime>;
                silenced_by: z.ZodNullable<z.ZodString>;
                silence_reason: z.ZodNullable<z.ZodString>;
            }, z.core.$strip>;
        };
        readonly errors: readonly ["unknown_alert"];
    };
    readonly unsilenceAlert: {
        readonly method: "DELETE";
        readonly path: "/api/v1/alerts/{id}/silence";
        readonly scope: "operate";
        readonly tag: "alerts";
        readonly summary: "End a silence. If the alert fires and no webhook was called, the next evaluation calls them.";
        readonly params: z.ZodObject<{
            id: z.ZodPreprocess<z.ZodInt, unknown>;
        }, z.core.$strict>;
        readonly body: z.ZodOptional<z.ZodObject<{
            reason: z.ZodOptional<z.ZodString>;
        }, z.core.$strict>>;
        readonly response: {
            200: z.ZodObject<{
                tenant: z.ZodString;
                rule: z.ZodString;
                subject: z.ZodString;
                id: z.ZodInt;
                state: z.ZodEnum<{
                    cleared: "cleared";
                    firing: "firing";
                    pending: "pending";
                }>;
                value: z.ZodNumber;
                threshold: z.ZodNumber;
                summary: z.ZodString;
                data: z.ZodNullable<z.ZodRecord<z.ZodString, z.ZodUnknown>>;
                since: z.ZodISODateTime;
                fired_at: z.ZodNullable<z.ZodISODateTime>;
                seen_at: z.ZodISODateTime;
                silenced_until: z.ZodNullable<z.ZodISODateTime>;
                silenced_by: z.ZodNullable<z.ZodString>;
                silence_reason: z.ZodNullable<z.ZodString>;
            }, z.core.$strip>;
        };
        readonly errors: readonly ["unknown_alert"];
    };
};

const auditContract: {
    readonly listAudit: {
        readonly method: "GET";
        readonly path: "/api/v1/audit";
        readonly scope: "admin";
        readonly tag: "audit";
        readonly summary: "List calls that changed something or failed, newest first.";
        readonly query: z.ZodObject<{
            page_size: z.ZodDefault<z.ZodPreprocess<z.ZodInt, unknown>>;
            page_token: z.ZodOptional<z.ZodString>;
            actor: z.ZodOptional<z.ZodString>;
            operation: z.ZodOptional<z.ZodString>;
            since: z.ZodOptional<z.ZodISODateTime>;
            until: z.ZodOptional<z.ZodISODateTime>;
        }, z.core.$strict>;
        readonly response: {
            200: z.ZodObject<{
                calls: z.ZodArray<z.ZodObject<{
                    id: z.ZodInt;
                    at: z.ZodISODateTime;
                    tenant: z.ZodString;
                    actor: z.ZodString;
                    key_id: z.ZodNullable<z.ZodInt>;
                    operation: z.ZodString;
                    method: z.ZodString;
                    path: z.ZodString;
                    status: z.ZodInt;
                    code: z.ZodNullable<z.ZodString>;
                    reason: z.ZodNullable<z.ZodString>;
                    request_id: z.ZodString;
                    address: z.ZodNullable<z.ZodString>;
                }, z.core.$strip>>;
                next_page_token: z.ZodNullable<z.ZodString>;
            }, z.core.$strip>;
        };
        readonly errors: readonly [];
    };
};

const bulkContract: {
    readonly previewBulk: {
        readonly method: "POST";
        readonly path: "/api/v1/bulk/preview";
        readonly scope: "read";
        readonly tag: "bulk";
        readonly summary: "Preview a bulk operation: how many jobs match, how many the command would change, and a few of them.";
        readonly body: z.ZodObject<{
            command: z.ZodEnum<{
                boost: "boost";
                cancel: "cancel";
                discard: "discard";
                priority: "priority";
                resume: "resume";
                retry: "retry";
                skip: "skip";
            }>;
            q: z.ZodString;
            until: z.ZodOptional<z.ZodISODateTime>;
            priority: z.ZodOptional<z.ZodInt>;
            by: z.ZodOptional<z.ZodInt>;
        }, z.core.$strict>;
        readonly response: {
            200: z.ZodObject<{
                matched: z.ZodInt;
                matched_capped: z.ZodBoolean;
                applicable: z.ZodInt;
                states: z.ZodArray<z.ZodObject<{
                    state: z.ZodEnum<{
                        assigned: "assigned";
                        canceled: "canceled";
                        errored: "errored";
                        failed: "failed";
                        parked: "parked";
                        paused: "paused";
                        pending: "pending";
                        queued: "queued";
                        retrying: "retrying";
                        running: "running";
                        scheduled: "scheduled";
                        succeeded: "succeeded";
                        waiting: "waiting";
                    }>;
                    matched: z.ZodInt;
                    applicable: z.ZodInt;
                }, z.core.$strip>>;
                until: z.ZodISODateTime;
                samples: z.ZodArray<z.ZodObject<{
                    id: z.ZodInt;
                    queue: z.ZodString;
                    kind: z.ZodString;
                    state: z.ZodEnum<{
                        assigned: "assigned";
                        canceled: "canceled";
                        errored: "errored";
                        failed: "failed";
                        parked: "parked";
                        paused: "paused";
                        pending: "pending";
                        queued: "queued";
                        retrying: "retrying";
                        running: "running";
                        scheduled: "scheduled";
                        succeeded: "succeeded";
                        waiting: "waiting";
                    }>;
                    status: z.ZodString;
                    priority: z.ZodInt;
                    attempt: z.ZodInt;
                    max_retries: z.ZodInt;
                    key: z.ZodNullable<z.ZodString>;
                    target: z.ZodNullable<z.ZodString>;
                    lease_owner: z.ZodNullable<z.ZodString>;
                    created_at: z.ZodISODateTime;
                    visible_at: z.ZodISODateTime;
                    finished_at: z.ZodNullable<z.ZodISODateTime>;
                    reason: z.ZodNullable<z.ZodString>;
                    last_error: z.ZodNullable<z.ZodString>;
                    applies: z.ZodBoolean;
                }, z.core.$strip>>;
            }, z.core.$strip>;
        };
        readonly errors: readonly ["unknown_queue", "invalid_search"];
        readonly unsafe: false;
    };
    readonly startBulk: {
        readonly method: "POST";
        readonly path: "/api/v1/bulk";
        readonly scope: "operate";
        readonly tag: "bulk";
        readonly summary: "Start a bulk operation. The same Idempotency-Key returns the same operation.";
        readonly headers: z.ZodObject<{
            'idempotency-key': z.ZodOptional<z.ZodString>;
        }, z.core.$strip>;
        readonly body: z.ZodObject<{
            command: z.ZodEnum<{
                boost: "boost";
                cancel: "cancel";
                discard: "discard";
                priority: "priority";
                resume: "resume";
                retry: "retry";
                skip: "skip";
            }>;
            q: z.ZodString;
            until: z.ZodOptional<z.ZodISODateTime>;
            priority: z.ZodOptional<z.ZodInt>;
            by: z.ZodOptional<z.ZodInt>;
            expected: z.ZodOptional<z.ZodObject<{
                matched: z.ZodInt;
                capped: z.ZodBoolean;
            }, z.core.$strict>>;
            reason: z.ZodOptional<z.ZodString>;
        }, z.core.$strict>;
        readonly response: {
            202: z.ZodObject<{
                id: z.ZodInt;
                command: z.ZodEnum<{
                    boost: "boost";
                    cancel: "cancel";
                    discard: "discard";
                    priority: "priority";
                    resume: "resume";
                    retry: "retry";
                    skip: "skip";
                }>;
                q: z.ZodString;
                priority: z.ZodNullable<z.ZodInt>;
                by: z.ZodNullable<z.ZodInt>;
                until: z.ZodISODateTime;
                state: z.ZodEnum<{
                    aborted: "aborted";
                    done: "done";
                    failed: "failed";
                    running: "running";
                    waiting: "waiting";
                }>;
                expected: z.ZodNullable<z.ZodInt>;
                expected_capped: z.ZodBoolean;
                matched: z.ZodInt;
                done: z.ZodInt;
                failed: z.ZodInt;
                progress: z.ZodNullable<z.ZodNumber>;
                limit_reached: z.ZodBoolean;
                created_at: z.ZodISODateTime;
                created_by: z.ZodNullable<z.ZodString>;
                reason: z.ZodNullable<z.ZodString>;
                started_at: z.ZodNullable<z.ZodISODateTime>;
                ended_at: z.ZodNullable<z.ZodISODateTime>;
                runner: z.ZodNullable<z.ZodString>;
                aborted_by: z.ZodNullable<z.ZodString>;
                abort_reason: z.ZodNullable<z.ZodString>;
                error: z.ZodNullable<z.ZodString>;
            }, z.core.$strip>;
            200: z.ZodObject<{
                id: z.ZodInt;
                command: z.ZodEnum<{
                    boost: "boost";
                    cancel: "cancel";
                    discard: "discard";
                    priority: "priority";
                    resume: "resume";
                    retry: "retry";
                    skip: "skip";
                }>;
                q: z.ZodString;
                priority: z.ZodNullable<z.ZodInt>;
                by: z.ZodNullable<z.ZodInt>;
                until: z.ZodISODateTime;
                state: z.ZodEnum<{
                    aborted: "aborted";
                    done: "done";
                    failed: "failed";
                    running: "running";
                    waiting: "waiting";
                }>;
                expected: z.ZodNullable<z.ZodInt>;
                expected_capped: z.ZodBoolean;
                matched: z.ZodInt;
                done: z.ZodInt;
                failed: z.ZodInt;
                progress: z.ZodNullable<z.ZodNumber>;
                limit_reached: z.ZodBoolean;
                created_at: z.ZodISODateTime;
                created_by: z.ZodNullable<z.ZodString>;
                reason: z.ZodNullable<z.ZodString>;
                started_at: z.ZodNullable<z.ZodISODateTime>;
                ended_at: z.ZodNullable<z.ZodISODateTime>;
                runner: z.ZodNullable<z.ZodString>;
                aborted_by: z.ZodNullable<z.ZodString>;
                abort_reason: z.ZodNullable<z.ZodString>;
                error: z.ZodNullable<z.ZodString>;
            }, z.core.$strip>;
        };
        readonly errors: readonly ["unknown_queue", "invalid_search", "limit_exceeded", "idempotency_mismatch"];
    };
    readonly listBulk: {
        readonly method: "GET";
        readonly path: "/api/v1/bulk";
        readonly scope: "read";
        readonly tag: "bulk";
        readonly summary: "List bulk operations, newest first.";
        readonly query: z.ZodObject<{
            page_size: z.ZodDefault<z.ZodPreprocess<z.ZodInt, unknown>>;
            page_token: z.ZodOptional<z.ZodString>;
            state: z.ZodOptional<z.ZodEnum<{
                aborted: "aborted";
                done: "done";
                failed: "failed";
                open: "open";
                running: "running";
                waiting: "waiting";
            }>>;
        }, z.core.$strict>;
        readonly response: {
            200: z.ZodObject<{
                operations: z.ZodArray<z.ZodObject<{
                    id: z.ZodInt;
                    command: z.ZodEnum<{
                        boost: "boost";
                        cancel: "cancel";
                        discard: "discard";
                        priority: "priority";
                        resume: "resume";
                        retry: "retry";
                        skip: "skip";
                    }>;
                    q: z.ZodString;
                    priority: z.ZodNullable<z.ZodInt>;
                    by: z.ZodNullable<z.ZodInt>;
                    until: z.ZodISODateTime;
                    state: z.ZodEnum<{
                        aborted: "aborted";
                        done: "done";
                        failed: "failed";
                        running: "running";
                        waiting: "waiting";
                    }>;
                    expected: z.ZodNullable<z.ZodInt>;
                    expected_capped: z.ZodBoolean;
                    matched: z.ZodInt;
                    done: z.ZodInt;
                    failed: z.ZodInt;
                    progress: z.ZodNullable<z.ZodNumber>;
                    limit_reached: z.ZodBoolean;
                    created_at: z.ZodISODateTime;
                    created_by: z.ZodNullable<z.ZodString>;
                    reason: z.ZodNullable<z.ZodString>;
                    started_at: z.ZodNullable<z.ZodISODateTime>;
                    ended_at: z.ZodNullable<z.ZodISODateTime>;
                    runner: z.ZodNullable<z.ZodString>;
                    aborted_by: z.ZodNullable<z.ZodString>;
                    abort_reason: z.ZodNullable<z.ZodString>;
                    error: z.ZodNullable<z.ZodString>;
                }, z.core.$strip>>;
                next_page_token: z.ZodNullable<z.ZodString>;
            }, z.core.$strip>;
        };
        readonly errors: readonly [];
    };
    readonly getBulk: {
        readonly method: "GET";
        readonly path: "/api/v1/bulk/{id}";
        readonly scope: "read";
        readonly tag: "bulk";
        readonly summary: "Get a bulk operation with its progress.";
        readonly params: z.ZodObject<{
            id: z.ZodPreprocess<z.ZodInt, unknown>;
        }, z.core.$strict>;
        readonly response: {
            200: z.ZodObject<{
                id: z.ZodInt;
                command: z.ZodEnum<{
                    boost: "boost";
                    cancel: "cancel";
                    discard: "discard";
                    priority: "priority";
                    resume: "resume";
                    retry: "retry";
                    skip: "skip";
                }>;
                q: z.ZodString;
                priority: z.ZodNullable<z.ZodInt>;
                by: z.ZodNullable<z.ZodInt>;
                until: z.ZodISODateTime;
                state: z.ZodEnum<{
                    aborted: "aborted";
                    done: "done";
                    failed: "failed";
                    running: "running";
                    waiting: "waiting";
                }>;
                expected: z.ZodNullable<z.ZodInt>;
                expected_capped: z.ZodBoolean;
                matched: z.ZodInt;
                done: z.ZodInt;
                failed: z.ZodInt;
                progress: z.ZodNullable<z.ZodNumber>;
                limit_reached: z.ZodBoolean;
                created_at: z.ZodISODateTime;
                created_by: z.ZodNullable<z.ZodString>;
                reason: z.ZodNullable<z.ZodString>;
                started_at: z.ZodNullable<z.ZodISODateTime>;
                ended_at: z.ZodNullable<z.ZodISODateTime>;
                runner: z.ZodNullable<z.ZodString>;
                aborted_by: z.ZodNullable<z.ZodString>;
                abort_reason: z.ZodNullable<z.ZodString>;
                error: z.ZodNullable<z.ZodString>;
            }, z.core.$strip>;
        };
        readonly errors: readonly ["unknown_bulk"];
    };
    readonly listBulkResults: {
        readonly method: "GET";
        readonly path: "/api/v1/bulk/{id}/results";
        readonly scope: "read";
        readonly tag: "bulk";
        readonly summary: "List the results of a bulk operation, one per job, newest job first.";
        readonly params: z.ZodObject<{
            id: z.ZodPreprocess<z.ZodInt, unknown>;
        }, z.core.$strict>;
        readonly query: z.ZodObject<{
            page_size: z.ZodDefault<z.ZodPreprocess<z.ZodInt, unknown>>;
            page_token: z.ZodOptional<z.ZodString>;
            ok: z.ZodOptional<z.ZodEnum<{
                false: "false";
                true: "true";
            }>>;
        }, z.core.$strict>;
        readonly response: {
            200: z.ZodObject<{
                results: z.ZodArray<z.ZodObject<{
                    job_id: z.ZodInt;
                    ok: z.ZodBoolean;
                    state: z.ZodNullable<z.ZodEnum<{
                        assigned: "assigned";
                        canceled: "canceled";
                        errored: "errored";
                        failed: "failed";
                        parked: "parked";
                        paused: "paused";
                        pending: "pending";
                        queued: "queued";
                        retrying: "retrying";
                        running: "running";
                        scheduled: "scheduled";
                        succeeded: "succeeded";
                        waiting: "waiting";
                    }>>;
                    new_job_id: z.ZodNullable<z.ZodInt>;
                    code: z.ZodNullable<z.ZodString>;
                    detail: z.ZodNullable<z.ZodString>;
                    at: z.ZodISODateTime;
                }, z.core.$strip>>;
                next_page_token: z.ZodNullable<z.ZodString>;
            }, z.core.$strip>;
        };
        readonly errors: readonly ["unknown_bulk"];
    };
    readonly abortBulk: {
        readonly method: "POST";
        readonly path: "/api/v1/bulk/{id}/abort";
        readonly scope: "operate";
        readonly tag: "bulk";
        readonly summary: "Abort a bulk operation. Jobs that it has changed stay changed.";
        readonly params: z.ZodObject<{
            id: z.ZodPreprocess<z.ZodInt, unknown>;
        }, z.core.$strict>;
        readonly body: z.ZodOptional<z.ZodObject<{
            reason: z.ZodOptional<z.ZodString>;
        }, z.core.$strict>>;
        readonly response: {
            200: z.ZodObject<{
                id: z.ZodInt;
                command: z.ZodEnum<{
                    boost: "boost";
                    cancel: "cancel";
                    discard: "discard";
                    priority: "priority";
                    resume: "resume";
                    retry: "retry";
                    skip: "skip";
                }>;
                q: z.ZodString;
                priority: z.ZodNullable<z.ZodInt>;
                by: z.ZodNullable<z.ZodInt>;
                until: z.ZodISODateTime;
                state: z.ZodEnum<{
                    aborted: "aborted";
                    done: "done";
                    failed: "failed";
                    running: "running";
                    waiting: "waiting";
                }>;
                expected: z.ZodNullable<z.ZodInt>;
                expected_capped: z.ZodBoolean;
                matched: z.ZodInt;
                done: z.ZodInt;
                failed: z.ZodInt;
                progress: z.ZodNullable<z.ZodNumber>;
                limit_reached: z.ZodBoolean;
                created_at: z.ZodISODateTime;
                created_by: z.ZodNullable<z.ZodString>;
                reason: z.ZodNullable<z.ZodString>;
                started_at: z.ZodNullable<z.ZodISODateTime>;
                ended_at: z.ZodNullable<z.ZodISODateTime>;
                runner: z.ZodNullable<z.ZodString>;
                aborted_by: z.ZodNullable<z.ZodString>;
                abort_reason: z.ZodNullable<z.ZodString>;
                error: z.ZodNullable<z.ZodString>;
            }, z.core.$strip>;
        };
        readonly errors: readonly ["unknown_bulk", "bulk_ended"];
    };
};

const commandsContract: {
    readonly cancelJob: {
        readonly method: 'POST';
        readonly tag: 'commands';
        readonly params: z.ZodObject<{
            id: z.ZodPreprocess<z.ZodInt, unknown>;
        }, z.core.$strict>;
        readonly errors: readonly ['unknown_job', 'wrong_state', 'conflict'];
        readonly scope: readonly ["operate", "enqueue"];
        readonly path: "/api/v1/jobs/{id}/cancel";
        readonly summary: "Cancel a job. At once if it waits; by request to its worker if it runs (202).";
        readonly body: z.ZodOptional<z.ZodObject<{
            reason: z.ZodOptional<z.ZodString>;
            if_state: z.ZodOptional<z.ZodEnum<{
                assigned: "assigned";
                canceled: "canceled";
                errored: "errored";
                failed: "failed";
                parked: "parked";
                paused: "paused";
                pending: "pending";
                queued: "queued";
                retrying: "retrying";
                running: "running";
                scheduled: "scheduled";
                succeeded: "succeeded";
                waiting: "waiting";
            }>>;
        }, z.core.$strict>>;
        readonly response: {
            200: z.ZodObject<{
                id: z.ZodInt;
                result: z.ZodEnum<{
                    already_ended: "already_ended";
                    canceled: "canceled";
                    requested: "requested";
                }>;
                state: z.ZodEnum<{
                    assigned: "assigned";
                    canceled: "canceled";
                    errored: "errored";
                    failed: "failed";
                    parked: "parked";
                    paused: "paused";
                    pending: "pending";
                    queued: "queued";
                    retrying: "retrying";
                    running: "running";
                    scheduled: "scheduled";
                    succeeded: "succeeded";
                    waiting: "waiting";
                }>;
                status: z.ZodString;
                request_job_id: z.ZodOptional<z.ZodInt>;
            }, z.core.$strip>;
            202: z.ZodObject<{
                id: z.ZodInt;
                result: z.ZodEnum<{
                    already_ended: "already_ended";
                    canceled: "canceled";
                    requested: "requested";
                }>;
                state: z.ZodEnum<{
                    assigned: "assigned";
                    canceled: "canceled";
                    errored: "errored";
                    failed: "failed";
                    parked: "parked";
                    paused: "paused";
                    pending: "pending";
                    queued: "queued";
                    retrying: "retrying";
                    running: "running";
                    scheduled: "scheduled";
                    succeeded: "succeeded";
                    waiting: "waiting";
                }>;
                status: z.ZodString;
                request_job_id: z.ZodOptional<z.ZodInt>;
            }, z.core.$strip>;
        };
    };
    readonly retryJob: {
        readonly method: 'POST';
        readonly scope: 'operate';
        readonly tag: 'commands';
        readonly params: z.ZodObject<{
            id: z.ZodPreprocess<z.ZodInt, unknown>;
        }, z.core.$strict>;
        readonly errors: readonly ['unknown_job', 'wrong_state', 'conflict'];
        readonly path: "/api/v1/jobs/{id}/retry";
        readonly summary: "Retry a job now. In a strict queue this creates a new job.";
        readonly body: z.ZodOptional<z.ZodObject<{
            reason: z.ZodOptional<z.ZodString>;
        }, z.core.$strict>>;
        readonly response: {
            200: z.ZodObject<{
                id: z.ZodInt;
                state: z.ZodEnum<{
                    assigned: "assigned";
                    canceled: "canceled";
                    errored: "errored";
                    failed: "failed";
                    parked: "parked";
                    paused: "paused";
                    pending: "pending";
                    queued: "queued";
                    retrying: "retrying";
                    running: "running";
                    scheduled: "scheduled";
                    succeeded: "succeeded";
                    waiting: "waiting";
                }>;
                status: z.ZodString;
            }, z.core.$strip>;
        };
    };
    readonly resumeJob: {
        readonly method: 'POST';
        readonly scope: 'operate';
        readonly tag: 'commands';
        readonly params: z.ZodObject<{
            id: z.ZodPreprocess<z.ZodInt, unknown>;
        }, z.core.$strict>;
        readonly errors: readonly ['unknown_job', 'wrong_state', 'conflict'];
        readonly path: "/api/v1/jobs/{id}/resume";
        readonly summary: "Resume a paused, errored or parked job.";
        readonly body: z.ZodOptional<z.ZodObject<{
            reason: z.ZodOptional<z.ZodString>;
        }, z.core.$strict>>;
        readonly response: {
            200: z.ZodObject<{
                id: z.ZodInt;
                state: z.ZodEnum<{
                    assigned: "assigned";
                    canceled: "canceled";
                    errored: "errored";
                    failed: "failed";
                    parked: "parked";
                    paused: "paused";
                    pending: "pending";
                    queued: "queued";
                    retrying: "retrying";
                    running: "running";
                    scheduled: "scheduled";
                    succeeded: "succeeded";
                    waiting: "waiting";
                }>;
                status: z.ZodString;
            }, z.core.$strip>;
        };
    };
    readonly skipJob: {
        readonly method: 'POST';
        readonly scope: 'operate';
        readonly tag: 'commands';
        readonly params: z.ZodObject<{
            id: z.ZodPreprocess<z.ZodInt, unknown>;
        }, z.core.$strict>;
        readonly errors: readonly ['unknown_job', 'wrong_state', 'conflict'];
        readonly path: "/api/v1/jobs/{id}/skip";
        readonly summary: "Skip a job: it ends as canceled and its target continues.";
        readonly body: z.ZodOptional<z.ZodObject<{
            reason: z.ZodOptional<z.ZodString>;
        }, z.core.$strict>>;
        readonly response: {
            200: z.ZodObject<{
                id: z.ZodInt;
                state: z.ZodEnum<{
                    assigned: "assigned";
                    canceled: "canceled";
                    errored: "errored";
                    failed: "failed";
                    parked: "parked";
                    paused: "paused";
                    pending: "pending";
                    queued: "queued";
                    retrying: "retrying";
                    running: "running";
                    scheduled: "scheduled";
                    succeeded: "succeeded";
                    waiting: "waiting";
                }>;
                status: z.ZodString;
            }, z.core.$strip>;
        };
    };
    readonly discardJob: {
        readonly method: 'POST';
        readonly tag: 'commands';
        readonly params: z.ZodObject<{
            id: z.ZodPreprocess<z.ZodInt, unknown>;
        }, z.core.$strict>;
        readonly errors: readonly ['unknown_job', 'wrong_state', 'conflict'];
        readonly scope: readonly ["operate", "work"];
        readonly path: "/api/v1/jobs/{id}/discard";
        readonly summary: "Discard a job: it fails without further attempts.";
        readonly body: z.ZodOptional<z.ZodObject<{
            reason: z.ZodOptional<z.ZodString>;
        }, z.core.$strict>>;
        readonly response: {
            200: z.ZodObject<{
                id: z.ZodInt;
                state: z.ZodEnum<{
                    assigned: "assigned";
                    canceled: "canceled";
                    errored: "errored";
                    failed: "failed";
                    parked: "parked";
                    paused: "paused";
                    pending: "pending";
                    queued: "queued";
                    retrying: "retrying";
                    running: "running";
                    scheduled: "scheduled";
                    succeeded: "succeeded";
                    waiting: "waiting";
                }>;
                status: z.ZodString;
            }, z.core.$strip>;
        };
    };
    readonly publishJob: {
        readonly method: 'POST';
        readonly tag: 'commands';
        readonly params: z.ZodObject<{
            id: z.ZodPreprocess<z.ZodInt, unknown>;
        }, z.core.$strict>;
        readonly errors: readonly ['unknown_job', 'wrong_state', 'conflict'];
        readonly scope: readonly ["operate", "enqueue"];
        readonly path: "/api/v1/jobs/{id}/publish";
        readonly summary: "Publish a pending job: it becomes claimable.";
        readonly body: z.ZodOptional<z.ZodObject<{
            reason: z.ZodOptional<z.ZodString>;
        }, z.core.$strict>>;
        readonly response: {
            200: z.ZodObject<{
                id: z.ZodInt;
                state: z.ZodEnum<{
                    assigned: "assigned";
                    canceled: "canceled";
                    errored: "errored";
                    failed: "failed";
                    parked: "parked";
                    paused: "paused";
                    pending: "pending";
                    queued: "queued";
                    retrying: "retrying";
                    running: "running";
                    scheduled: "scheduled";
                    succeeded: "succeeded";
                    waiting: "waiting";
                }>;
                status: z.ZodString;
            }, z.core.$strip>;
        };
    };
    readonly boostJob: {
        readonly method: 'POST';
        readonly scope: 'operate';
        readonly tag: 'commands';
        readonly params: z.ZodObject<{
            id: z.ZodPreprocess<z.ZodInt, unknown>;
        }, z.core.$strict>;
        readonly errors: readonly ['unknown_job', 'wrong_state', 'conflict'];
        readonly path: "/api/v1/jobs/{id}/boost";
        readonly summary: "Raise the priority of a job, up to 100.";
        readonly body: z.ZodPrefault<z.ZodObject<{
            by: z.ZodDefault<z.ZodInt>;
            reason: z.ZodOptional<z.ZodString>;
        }, z.core.$strict>>;
        readonly response: {
            200: z.ZodObject<{
                id: z.ZodInt;
                priority: z.ZodInt;
            }, z.core.$strip>;
        };
    };
    readonly setPriority: {
        readonly scope: 'operate';
        readonly tag: 'commands';
        readonly params: z.ZodObject<{
            id: z.ZodPreprocess<z.ZodInt, unknown>;
        }, z.core.$strict>;
        readonly errors: readonly ['unknown_job', 'wrong_state', 'conflict'];
        readonly method: "PUT";
        readonly path: "/api/v1/jobs/{id}/priority";
        readonly summary: "Set the priority of a job.";
        readonly body: z.ZodObject<{
            priority: z.ZodInt;
            reason: z.ZodOptional<z.ZodString>;
        }, z.core.$strict>;
        readonly response: {
            200: z.ZodObject<{
                id: z.ZodInt;
                priority: z.ZodInt;
            }, z.core.$strip>;
        };
    };
    readonly cloneJob: {
        readonly method: 'POST';
        readonly tag: 'commands';
        readonly params: z.ZodObject<{
            id: z.ZodPreprocess<z.ZodInt, unknown>;
        }, z.core.$strict>;
        readonly scope: readonly ["operate", "enqueue"];
        readonly path: "/api/v1/jobs/{id}/clone";
        readonly summary: "Clone a job, with the given fields replaced. Key and times are not copied.";
        readonly body: z.ZodPrefault<z.ZodObject<{
            queue: z.ZodOptional<z.ZodString>;
            preset: z.ZodOptional<z.ZodOptional<z.ZodEnum<{
                catalog: "catalog";
                crawl: "crawl";
                default: "default";
                harvest: "harvest";
                pipeline: "pipeline";
                target: "target";
            }>>>;
            kind: z.ZodOptional<z.ZodString>;
            input: z.ZodOptional<z.ZodOptional<z.ZodUnknown>>;
            key: z.ZodOptional<z.ZodOptional<z.ZodString>>;
            target: z.ZodOptional<z.ZodOptional<z.ZodString>>;
            subject: z.ZodOptional<z.ZodOptional<z.ZodString>>;
            target_id: z.ZodOptional<z.ZodOptional<z.ZodUnion<readonly [z.ZodInt, z.ZodString]>>>;
            subreddit_id: z.ZodOptional<z.ZodOptional<z.ZodUnion<readonly [z.ZodInt, z.ZodString]>>>;
            priority: z.ZodOptional<z.ZodOptional<z.ZodInt>>;
            run_at: z.ZodOptional<z.ZodOptional<z.ZodISODateTime>>;
            visible_at: z.ZodOptional<z.ZodOptional<z.ZodISODateTime>>;
            delay_ms: z.ZodOptional<z.ZodOptional<z.ZodInt>>;
            pending: z.ZodOptional<z.ZodOptional<z.ZodBoolean>>;
            max_retries: z.ZodOptional<z.ZodOptional<z.ZodInt>>;
            max_attempts: z.ZodOptional<z.ZodOptional<z.ZodInt>>;
            timeout_ms: z.ZodOptional<z.ZodOptional<z.ZodInt>>;
            token_limit: z.ZodOptional<z.ZodOptional<z.ZodInt>>;
            item_goal: z.ZodOptional<z.ZodOptional<z.ZodInt>>;
            target_count: z.ZodOptional<z.ZodOptional<z.ZodInt>>;
            collection: z.ZodOptional<z.ZodOptional<z.ZodString>>;
            created_by: z.ZodOptional<z.ZodOptional<z.ZodString>>;
            trace: z.ZodOptional<z.ZodOptional<z.ZodString>>;
            labels: z.ZodOptional<z.ZodOptional<z.ZodRecord<z.ZodString, z.ZodString>>>;
            parent_id: z.ZodOptional<z.ZodOptional<z.ZodInt>>;
        }, z.core.$strict>>;
        readonly response: {
            201: z.ZodObject<{
                id: z.ZodInt;
                deduplicated: z.ZodBoolean;
                status: z.ZodOptional<z.ZodString>;
            }, z.core.$strip>;
            200: z.ZodObject<{
                id: z.ZodInt;
                deduplicated: z.ZodBoolean;
                status: z.ZodOptional<z.ZodString>;
            }, z.core.$strip>;
        };
        readonly errors: readonly ["unknown_job", "payload_too_large", "too_deep", "key_taken", "limit_exceeded"];
    };
    readonly commandJobs: {
        readonly method: "POST";
        readonly path: "/api/v1/jobs/bulk";
        readonly scope: "operate";
        readonly tag: "commands";
        readonly summary: "Run one command on many jobs. The response has a result for each.";
        readonly body: z.ZodObject<{
            command: z.ZodEnum<{
                boost: "boost";
                cancel: "cancel";
                discard: "discard";
                priority: "priority";
                publish: "publish";
                resume: "resume";
                retry: "retry";
                skip: "skip";
            }>;
            job_ids: z.ZodArray<z.ZodInt>;
            priority: z.ZodOptional<z.ZodInt>;
            by: z.ZodOptional<z.ZodInt>;
            reason: z.ZodOptional<z.ZodString>;
        }, z.core.$strict>;
        readonly response: {
            200: z.ZodObject<{
                outcomes: z.ZodArray<z.ZodObject<{
                    id: z.ZodInt;
                    ok: z.ZodBoolean;
                    result: z.ZodOptional<z.ZodRecord<z.ZodString, z.ZodUnknown>>;
                    code: z.ZodOptional<z.ZodString>;
                    detail: z.ZodOptional<z.ZodString>;
                }, z.core.$strip>>;
            }, z.core.$strip>;
        };
        readonly errors: readonly [];
    };
};

const endsContract: {
    readonly awaitEnds: {
        readonly method: "POST";
        readonly path: "/api/v1/jobs/ends";
        readonly scope: readonly ["read", "enqueue"];
        readonly tag: "jobs";
        readonly summary: "Wait until at least one of these jobs has ended. Returns how they ended.";
        readonly body: z.ZodObject<{
            job_ids: z.ZodArray<z.ZodInt>;
            wait_ms: z.ZodDefault<z.ZodInt>;
        }, z.core.$strict>;
        readonly response: {
            200: z.ZodObject<{
                ends: z.ZodArray<z.ZodObject<{
                    job_id: z.ZodInt;
                    attempt: z.ZodInt;
                    state: z.ZodEnum<{
                        canceled: "canceled";
                        failed: "failed";
                        succeeded: "succeeded";
                    }>;
                    finished_at: z.ZodISODateTime;
                    result: z.ZodUnknown;
                    reason: z.ZodNullable<z.ZodString>;
                    error_class: z.ZodNullable<z.ZodString>;
                    error_message: z.ZodNullable<z.ZodString>;
                    error_stack: z.ZodNullable<z.ZodString>;
                    error_fingerprint: z.ZodNullable<z.ZodString>;
                }, z.core.$strip>>;
                unknown: z.ZodArray<z.ZodInt>;
            }, z.core.$strip>;
        };
        readonly errors: readonly [];
        readonly unsafe: false;
    };
};

const errorsContract: {
    readonly listErrors: {
        readonly method: "GET";
        readonly path: "/api/v1/errors";
        readonly scope: "read";
        readonly tag: "stats";
        readonly summary: "List groups of errors, the last seen first.";
        readonly query: z.ZodObject<{
            page_size: z.ZodDefault<z.ZodPreprocess<z.ZodInt, unknown>>;
            page_token: z.ZodOptional<z.ZodString>;
            queue: z.ZodOptional<z.ZodString>;
            kind: z.ZodOptional<z.ZodString>;
        }, z.core.$strict>;
        readonly response: {
            200: z.ZodObject<{
                groups: z.ZodArray<z.ZodObject<{
                    fingerprint: z.ZodString;
                    error_class: z.ZodNullable<z.ZodString>;
                    message: z.ZodString;
                    first_seen_at: z.ZodISODateTime;
                    last_seen_at: z.ZodISODateTime;
                    count: z.ZodInt;
                    count_24h: z.ZodInt;
                    trend: z.ZodArray<z.ZodInt>;
                    kinds: z.ZodArray<z.ZodString>;
                    queues: z.ZodArray<z.ZodString>;
                    first_version: z.ZodNullable<z.ZodString>;
                    last_version: z.ZodNullable<z.ZodString>;
                    last_job_id: z.ZodInt;
                }, z.core.$strip>>;
                next_page_token: z.ZodNullable<z.ZodString>;
            }, z.core.$strip>;
        };
        readonly errors: readonly ["unknown_queue"];
    };
    readonly getError: {
        readonly method: "GET";
        readonly path: "/api/v1/errors/{fingerprint}";
        readonly scope: "read";
        readonly tag: "stats";
        readonly summary: "Get a group of errors with samples, and the search that finds its failed jobs.";
        readonly params: z.ZodObject<{
            fingerprint: z.ZodString;
        }, z.core.$strict>;
        readonly response: {
            200: z.ZodObject<{
                fingerprint: z.ZodString;
                error_class: z.ZodNullable<z.ZodString>;
                message: z.ZodString;
                first_seen_at: z.ZodISODateTime;
                last_seen_at: z.ZodISODateTime;
                count: z.ZodInt;
                count_24h: z.ZodInt;
                trend: z.ZodArray<z.ZodInt>;
                kinds: z.ZodArray<z.ZodString>;
                queues: z.ZodArray<z.ZodString>;
                first_version: z.ZodNullable<z.ZodString>;
                last_version: z.ZodNullable<z.ZodString>;
                last_job_id: z.ZodInt;
                samples: z.ZodArray<z.ZodObject<{
                    job_id: z.ZodInt;
                    attempt: z.ZodInt;
                    at: z.ZodISODateTime;
                    queue: z.ZodString;
                    kind: z.ZodString;
                    state: z.ZodNullable<z.ZodString>;
                    worker: z.ZodNullable<z.ZodString>;
                    message: z.ZodNullable<z.ZodString>;
                    stack: z.ZodNullable<z.ZodString>;
                }, z.core.$strip>>;
                search: z.ZodString;
            }, z.core.$strip>;
        };
        readonly errors: readonly ["unknown_error_group"];
    };
};

const eventsContract: {
    readonly events: {
        readonly method: 'GET';
        readonly scope: 'read';
        readonly tag: 'live';
        readonly errors: readonly [];
        readonly path: "/api/v1/events";
        readonly summary: "Stream events of jobs and counts of queues as server-sent events. Resumes after Last-Event-ID.";
        readonly headers: z.ZodObject<{
            'last-event-id': z.ZodOptional<z.ZodString>;
        }, z.core.$strip>;
        readonly query: z.ZodObject<{
            after: z.ZodOptional<z.ZodString>;
            for_sec: z.ZodDefault<z.ZodPreprocess<z.ZodInt, unknown>>;
        }, z.core.$strict>;
        readonly media: readonly ["text/event-stream"];
        readonly response: {
            200: z.ZodString;
        };
    };
    readonly nextEvents: {
        readonly method: 'GET';
        readonly scope: 'read';
        readonly tag: 'live';
        readonly errors: readonly [];
        readonly path: "/api/v1/events/next";
        readonly summary: "Get one page of events after an id. Waits if there are none yet.";
        readonly query: z.ZodObject<{
            after: z.ZodOptional<z.ZodString>;
            wait_sec: z.ZodDefault<z.ZodPreprocess<z.ZodInt, unknown>>;
        }, z.core.$strict>;
        readonly response: {
            200: z.ZodObject<{
                events: z.ZodArray<z.ZodObject<{
                    type: z.ZodString;
                    at: z.ZodISODateTime;
                    job_ids: z.ZodArray<z.ZodInt>;
                    queue_id: z.ZodNullable<z.ZodInt>;
                    actor: z.ZodNullable<z.ZodString>;
                    reason: z.ZodNullable<z.ZodString>;
                    data: z.ZodUnknown;
                }, z.core.$strip>>;
                next_after: z.ZodString;
            }, z.core.$strip>;
        };
    };
};

const itemsContract: {
    readonly listItems: {
        readonly method: "GET";
        readonly path: "/api/v1/items";
        readonly scope: readonly ["read", "enqueue"];
        readonly tag: "items";
        readonly summary: "List items of a job or of a collection, oldest first.";
        readonly query: z.ZodObject<{
            page_size: z.ZodDefault<z.ZodPreprocess<z.ZodInt, unknown>>;
            page_token: z.ZodOptional<z.ZodString>;
            job_id: z.ZodOptional<z.ZodPreprocess<z.ZodInt, unknown>>;
            queue: z.ZodOptional<z.ZodString>;
            collection: z.ZodOptional<z.ZodString>;
        }, z.core.$strict>;
        readonly response: {
            200: z.ZodObject<{
                items: z.ZodArray<z.ZodObject<{
                    id: z.ZodInt;
                    job_id: z.ZodInt;
                    attempt: z.ZodInt;
                    collection: z.ZodString;
                    key: z.ZodString;
                    data: z.ZodUnknown;
                    created_at: z.ZodISODateTime;
                }, z.core.$strip>>;
                next_page_token: z.ZodNullable<z.ZodString>;
            }, z.core.$strip>;
        };
        readonly errors: readonly ["unknown_job", "unknown_queue"];
    };
    readonly exportItems: {
        readonly method: "GET";
        readonly path: "/api/v1/items/export";
        readonly scope: readonly ["read", "enqueue"];
        readonly tag: "items";
        readonly summary: "Export all items as one file.";
        readonly query: z.ZodObject<{
            job_id: z.ZodOptional<z.ZodPreprocess<z.ZodInt, unknown>>;
            queue: z.ZodOptional<z.ZodString>;
            collection: z.ZodOptional<z.ZodString>;
            format: z.ZodDefault<z.ZodEnum<{
                csv: "csv";
                json: "json";
            }>>;
        }, z.core.$strict>;
        readonly media: readonly ["application/json", "text/csv"];
        readonly response: {
            200: z.ZodString;
        };
        readonly errors: readonly ["unknown_job", "unknown_queue"];
    };
};

const jobsContract: {
    readonly createJob: {
        readonly method: "POST";
        readonly path: "/api/v1/jobs";
        readonly scope: "enqueue";
        readonly tag: "jobs";
        readonly summary: "Create a job.";
        readonly headers: z.ZodObject<{
            'idempotency-key': z.ZodOptional<z.ZodString>;
            traceparent: z.ZodOptional<z.ZodString>;
        }, z.core.$strip>;
        readonly body: z.ZodObject<{
            queue: z.ZodString;
            preset: z.ZodOptional<z.ZodEnum<{
                catalog: "catalog";
                crawl: "crawl";
                default: "default";
                harvest: "harvest";
                pipeline: "pipeline";
                target: "target";
            }>>;
            kind: z.ZodString;
            input: z.ZodOptional<z.ZodUnknown>;
            key: z.ZodOptional<z.ZodString>;
            target: z.ZodOptional<z.ZodString>;
            subject: z.ZodOptional<z.ZodString>;
            target_id: z.ZodOptional<z.ZodUnion<readonly [z.ZodInt, z.ZodString]>>;
            subreddit_id: z.ZodOptional<z.ZodUnion<readonly [z.ZodInt, z.ZodString]>>;
            priority: z.ZodOptional<z.ZodInt>;
            run_at: z.ZodOptional<z.ZodISODateTime>;
            visible_at: z.ZodOptional<z.ZodISODateTime>;
            delay_ms: z.ZodOptional<z.ZodInt>;
            pending: z.ZodOptional<z.ZodBoolean>;
            max_retries: z.ZodOptional<z.ZodInt>;
            max_attempts: z.ZodOptional<z.ZodInt>;
            timeout_ms: z.ZodOptional<z.ZodInt>;
            token_limit: z.ZodOptional<z.ZodInt>;
            item_goal: z.ZodOptional<z.ZodInt>;
            target_count: z.ZodOptional<z.ZodInt>;
            collection: z.ZodOptional<z.ZodString>;
            created_by: z.ZodOptional<z.ZodString>;
            trace: z.ZodOptional<z.ZodString>;
            labels: z.ZodOptional<z.ZodRecord<z.ZodString, z.ZodString>>;
            parent_id: z.ZodOptional<z.ZodInt>;
        }, z.core.$strict>;
        readonly response: {
            201: z.ZodObject<{
                id: z.ZodInt;
                deduplicated: z.ZodBoolean;
                status: z.ZodOptional<z.ZodString>;
            }, z.core.$strip>;
            200: z.ZodObject<{
                id: z.ZodInt;
                deduplicated: z.ZodBoolean;
                status: z.ZodOptional<z.ZodString>;
            }, z.core.$strip>;
        };
        readonly errors: readonly ["unknown_kind", "wrong_preset", "payload_too_large", "too_deep", "key_taken", "limit_exceeded", "idempotency_mismatch", "idempotency_in_flight"];
    };
    readonly createJobs: {
        readonly method: "POST";
        readonly path: "/api/v1/jobs/batch";
        readonly scope: "enqueue";
        readonly tag: "jobs";
        readonly summary: "Create many jobs: all of them, or none if one is invalid.";
        readonly headers: z.ZodObject<{
            'idempotency-key': z.ZodOptional<z.ZodString>;
            traceparent: z.ZodOptional<z.ZodString>;
        }, z.core.$strip>;
        readonly bodyBytesMax: number;
        readonly body: z.ZodObject<{
            jobs: z.ZodArray<z.ZodObject<{
                queue: z.ZodString;
                preset: z.ZodOptional<z.ZodEnum<{
                    catalog: "catalog";
                    crawl: "crawl";
                    default: "default";
                    harvest: "harvest";
                    pipeline: "pipeline";
                    target: "target";
                }>>;
                kind: z.ZodString;
                input: z.ZodOptional<z.ZodUnknown>;
                key: z.ZodOptional<z.ZodString>;
                target: z.ZodOptional<z.ZodString>;
                subject: z.ZodOptional<z.ZodString>;
                target_id: z.ZodOptional<z.ZodUnion<readonly [z.ZodInt, z.ZodString]>>;
                subreddit_id: z.ZodOptional<z.ZodUnion<readonly [z.ZodInt, z.ZodString]>>;
                priority: z.ZodOptional<z.ZodInt>;
                run_at: z.ZodOptional<z.ZodISODateTime>;
                visible_at: z.ZodOptional<z.ZodISODateTime>;
                delay_ms: z.ZodOptional<z.ZodInt>;
                pending: z.ZodOptional<z.ZodBoolean>;
                max_retries: z.ZodOptional<z.ZodInt>;
                max_attempts: z.ZodOptional<z.ZodInt>;
                timeout_ms: z.ZodOptional<z.ZodInt>;
                token_limit: z.ZodOptional<z.ZodInt>;
                item_goal: z.ZodOptional<z.ZodInt>;
                target_count: z.ZodOptional<z.ZodInt>;
                collection: z.ZodOptional<z.ZodString>;
                created_by: z.ZodOptional<z.ZodString>;
                trace: z.ZodOptional<z.ZodString>;
                labels: z.ZodOptional<z.ZodRecord<z.ZodString, z.ZodString>>;
                parent_id: z.ZodOptional<z.ZodInt>;
            }, z.core.$strict>>;
        }, z.core.$strict>;
        readonly response: {
            201: z.ZodObject<{
                jobs: z.ZodArray<z.ZodObject<{
                    id: z.ZodInt;
                    deduplicated: z.ZodBoolean;
                    status: z.ZodOptional<z.ZodString>;
                }, z.core.$strip>>;
            }, z.core.$strip>;
        };
        readonly errors: readonly ["unknown_kind", "wrong_preset", "payload_too_large", "too_deep", "key_taken", "limit_exceeded", "idempotency_mismatch", "idempotency_in_flight"];
    };
    readonly listJobs: {
        readonly method: "GET";
        readonly path: "/api/v1/jobs";
        readonly scope: readonly ["read", "enqueue"];
        readonly tag: "jobs";
        readonly summary: "List jobs, newest first; failed and canceled ones by the time they ended.";
        readonly query: z.ZodObject<{
            page_size: z.ZodDefault<z.ZodPreprocess<z.ZodInt, unknown>>;
            page_token: z.ZodOptional<z.ZodString>;
            state: z.ZodOptional<z.ZodEnum<{
                assigned: "assigned";
                canceled: "canceled";
                errored: "errored";
                failed: "failed";
                parked: "parked";
                paused: "paused";
                pending: "pending";
                queued: "queued";
                retrying: "retrying";
                running: "running";
                scheduled: "scheduled";
                succeeded: "succeeded";
                waiting: "waiting";
            }>>;
            queue: z.ZodOptional<z.ZodString>;
            kind: z.ZodOptional<z.ZodString>;
            key: z.ZodOptional<z.ZodString>;
            target: z.ZodOptional<z.ZodString>;
            worker: z.ZodOptional<z.ZodString>;
            error_fingerprint: z.ZodOptional<z.ZodString>;
            attempts_min: z.ZodOptional<z.ZodPreprocess<z.ZodInt, unknown>>;
            attempts_max: z.ZodOptional<z.ZodPreprocess<z.ZodInt, unknown>>;
            created_after: z.ZodOptional<z.ZodISODateTime>;
            created_before: z.ZodOptional<z.ZodISODateTime>;
            finished_after: z.ZodOptional<z.ZodISODateTime>;
            finished_before: z.ZodOptional<z.ZodISODateTime>;
        }, z.core.$strict>;
        readonly response: {
            200: z.ZodObject<{
                jobs: z.ZodArray<z.ZodObject<{
                    id: z.ZodInt;
                    queue: z.ZodString;
                    kind: z.ZodString;
                    state: z.ZodEnum<{
                        assigned: "assigned";
                        canceled: "canceled";
                        errored: "errored";
                        failed: "failed";
                        parked: "parked";
                        paused: "paused";
                        pending: "pending";
                        queued: "queued";
                        retrying: "retrying";
                        running: "running";
                        scheduled: "scheduled";
                        succeeded: "succeeded";
                        waiting: "waiting";
                    }>;
                    status: z.ZodString;
                    priority: z.ZodInt;
                    attempt: z.ZodInt;
                    max_retries: z.ZodInt;
                    key: z.ZodNullable<z.ZodString>;
                    target: z.ZodNullable<z.ZodString>;
                    lease_owner: z.ZodNullable<z.ZodString>;
                    created_at: z.ZodISODateTime;
                    visible_at: z.ZodISODateTime;
                    finished_at: z.ZodNullable<z.ZodISODateTime>;
                    reason: z.ZodNullable<z.ZodString>;
                    last_error: z.ZodNullable<z.ZodString>;
                }, z.core.$strip>>;
                next_page_token: z.ZodNullable<z.ZodString>;
            }, z.core.$strip>;
        };
        readonly errors: readonly ["unknown_queue"];
    };
    readonly countJobs: {
        readonly method: "GET";
        readonly path: "/api/v1/jobs/counts";
        readonly scope: "read";
        readonly tag: "jobs";
        readonly summary: "Count jobs by state. Each count stops at `counted_max`; `capped` names those that stopped.";
        readonly query: z.ZodObject<{
            queue: z.ZodOptional<z.ZodString>;
        }, z.core.$strict>;
        readonly response: {
            200: z.ZodObject<{
                counts: z.ZodObject<{
                    assigned: z.ZodInt;
                    canceled: z.ZodInt;
                    errored: z.ZodInt;
                    failed: z.ZodInt;
                    parked: z.ZodInt;
                    paused: z.ZodInt;
                    pending: z.ZodInt;
                    queued: z.ZodInt;
                    retrying: z.ZodInt;
                    running: z.ZodInt;
                    scheduled: z.ZodInt;
                    succeeded: z.ZodInt;
                    waiting: z.ZodInt;
                }, z.core.$strip>;
                capped: z.ZodArray<z.ZodEnum<{
                    assigned: "assigned";
                    canceled: "canceled";
                    errored: "errored";
                    failed: "failed";
                    parked: "parked";
                    paused: "paused";
                    pending: "pending";
                    queued: "queued";
                    retrying: "retrying";
                    running: "running";
                    scheduled: "scheduled";
                    succeeded: "succeeded";
                    waiting: "waiting";
                }>>;
                counted_max: z.ZodInt;
            }, z.core.$strip>;
        };
        readonly errors: readonly ["unknown_queue"];
    };
    readonly listKinds: {
        readonly method: "GET";
        readonly path: "/api/v1/kinds";
        readonly scope: "read";
        readonly tag: "jobs";
        readonly summary: "List kinds with their number of live jobs, sampled from at most `counted_max` jobs of each state, and the declared kinds.";
        readonly response: {
            200: z.ZodObject<{
                kinds: z.ZodArray<z.ZodObject<{
                    kind: z.ZodString;
                    jobs: z.ZodInt;
                    parked: z.ZodInt;
                }, z.core.$strip>>;
                declared: z.ZodArray<z.ZodObject<{
                    kind: z.ZodString;
                    queue: z.ZodString;
                    max_retries: z.ZodNullable<z.ZodInt>;
                    timeout_ms: z.ZodNullable<z.ZodInt>;
                    priority: z.ZodNullable<z.ZodInt>;
                    key: z.ZodNullable<z.ZodString>;
                    target: z.ZodNullable<z.ZodString>;
                    search: z.ZodNullable<z.ZodArray<z.ZodString>>;
                    by_program: z.ZodArray<z.ZodString>;
                    declared_at: z.ZodISODateTime;
                    declared_by: z.ZodNullable<z.ZodString>;
                }, z.core.$strip>>;
                stats: z.ZodArray<z.ZodObject<{
                    kind: z.ZodString;
                    first_seen_at: z.ZodISODateTime;
                    last_seen_at: z.ZodISODateTime;
                    last_hour: z.ZodObject<{
                        enqueued: z.ZodInt;
                        started: z.ZodInt;
                        succeeded: z.ZodInt;
                        failed: z.ZodInt;
                        canceled: z.ZodInt;
                        attempts: z.ZodInt;
                        attempts_failed: z.ZodInt;
                        attempts_lost: z.ZodInt;
                        failed_rate: z.ZodNullable<z.ZodNumber>;
                        wait: z.ZodObject<{
                            count: z.ZodInt;
                            p50: z.ZodNullable<z.ZodNumber>;
                            p95: z.ZodNullable<z.ZodNumber>;
                            p99: z.ZodNullable<z.ZodNumber>;
                        }, z.core.$strip>;
                        run: z.ZodObject<{
                            count: z.ZodInt;
                            p50: z.ZodNullable<z.ZodNumber>;
                            p95: z.ZodNullable<z.ZodNumber>;
                            p99: z.ZodNullable<z.ZodNumber>;
                        }, z.core.$strip>;
                    }, z.core.$strip>;
                    last_day: z.ZodObject<{
                        enqueued: z.ZodInt;
                        started: z.ZodInt;
                        succeeded: z.ZodInt;
                        failed: z.ZodInt;
                        canceled: z.ZodInt;
                        attempts: z.ZodInt;
                        attempts_failed: z.ZodInt;
                        attempts_lost: z.ZodInt;
                        failed_rate: z.ZodNullable<z.ZodNumber>;
                        wait: z.ZodObject<{
                            count: z.ZodInt;
                            p50: z.ZodNullable<z.ZodNumber>;
                            p95: z.ZodNullable<z.ZodNumber>;
                            p99: z.ZodNullable<z.ZodNumber>;
                        }, z.core.$strip>;
                        run: z.ZodObject<{
                            count: z.ZodInt;
                            p50: z.ZodNullable<z.ZodNumber>;
                            p95: z.ZodNullable<z.ZodNumber>;
                            p99: z.ZodNullable<z.ZodNumber>;
                        }, z.core.$strip>;
                    }, z.core.$strip>;
                    trend: z.ZodArray<z.ZodObject<{
                        at: z.ZodISODateTime;
                        attempts: z.ZodInt;
                        failed: z.ZodInt;
                    }, z.core.$strip>>;
                    last_error: z.ZodNullable<z.ZodObject<{
                        fingerprint: z.ZodNullable<z.ZodString>;
                        message: z.ZodString;
                        at: z.ZodISODateTime;
                        job_id: z.ZodInt;
                    }, z.core.$strip>>;
                    version: z.ZodNullable<z.ZodString>;
                    fails_since_version: z.ZodNullable<z.ZodString>;
                }, z.core.$strip>>;
                counted_max: z.ZodInt;
            }, z.core.$strip>;
        };
        readonly errors: readonly [];
    };
    readonly lookUpJobs: {
        readonly method: "POST";
        readonly path: "/api/v1/jobs/lookup";
        readonly scope: readonly ["read", "enqueue"];
        readonly tag: "jobs";
        readonly summary: "Look up jobs by id. Unknown jobs and those of other tenants are left out.";
        readonly body: z.ZodObject<{
            job_ids: z.ZodArray<z.ZodInt>;
        }, z.core.$strict>;
        readonly response: {
            200: z.ZodObject<{
                jobs: z.ZodArray<z.ZodObject<{
                    id: z.ZodInt;
                    queue_id: z.ZodInt;
                    kind: z.ZodString;
                    state: z.ZodEnum<{
                        assigned: "assigned";
                        canceled: "canceled";
                        errored: "errored";
                        failed: "failed";
                        parked: "parked";
                        paused: "paused";
                        pending: "pending";
                        queued: "queued";
                        retrying: "retrying";
                        running: "running";
                        scheduled: "scheduled";
                        succeeded: "succeeded";
                        waiting: "waiting";
                    }>;
                    status: z.ZodString;
                }, z.core.$strip>>;
            }, z.core.$strip>;
        };
        readonly errors: readonly [];
        readonly unsafe: false;
    };
    readonly getJob: {
        readonly method: 'GET';
        readonly scope: readonly ['read', 'enqueue'];
        readonly tag: 'jobs';
        readonly params: z.ZodObject<{
            id: z.ZodPreprocess<z.ZodInt, unknown>;
        }, z.core.$strict>;
        readonly errors: readonly ['unknown_job'];
        readonly path: "/api/v1/jobs/{id}";
        readonly summary: "Get a job.";
        readonly response: {
            200: z.ZodObject<{
                id: z.ZodInt;
                tenant: z.ZodString;
                queue: z.ZodString;
                preset: z.ZodString;
                kind: z.ZodString;
                state: z.ZodEnum<{
                    assigned: "assigned";
                    canceled: "canceled";
                    errored: "errored";
                    failed: "failed";
                    parked: "parked";
                    paused: "paused";
                    pending: "pending";
                    queued: "queued";
                    retrying: "retrying";
                    running: "running";
                    scheduled: "scheduled";
                    succeeded: "succeeded";
                    waiting: "waiting";
                }>;
                status: z.ZodString;
                input: z.ZodUnknown;
                key: z.ZodNullable<z.ZodString>;
                subject: z.ZodNullable<z.ZodString>;
                target: z.ZodNullable<z.ZodString>;
                priority: z.ZodInt;
                initial_priority: z.ZodInt;
                attempt: z.ZodInt;
                max_retries: z.ZodInt;
                failures: z.ZodInt;
                losses: z.ZodNullable<z.ZodInt>;
                interruptions: z.ZodNullable<z.ZodInt>;
                lease_owner: z.ZodNullable<z.ZodString>;
                lease_expires_at: z.ZodNullable<z.ZodISODateTime>;
                heartbeat_at: z.ZodNullable<z.ZodISODateTime>;
                cancel_requested: z.ZodBoolean;
                claimed_at: z.ZodNullable<z.ZodISODateTime>;
                started_at: z.ZodNullable<z.ZodISODateTime>;
                finished_at: z.ZodNullable<z.ZodISODateTime>;
                visible_at: z.ZodISODateTime;
                duration_ms: z.ZodNullable<z.ZodNumber>;
                created_by: z.ZodString;
                created_at: z.ZodISODateTime;
                updated_at: z.ZodISODateTime;
                reason: z.ZodNullable<z.ZodString>;
                last_error: z.ZodNullable<z.ZodString>;
                last_cursor: z.ZodUnknown;
                progress: z.ZodUnknown;
                progress_count: z.ZodInt;
                result_count: z.ZodInt;
                item_goal: z.ZodNullable<z.ZodInt>;
                last_progress_at: z.ZodNullable<z.ZodISODateTime>;
                tokens_used: z.ZodInt;
                token_limit: z.ZodNullable<z.ZodInt>;
                result: z.ZodUnknown;
                labels: z.ZodNullable<z.ZodRecord<z.ZodString, z.ZodString>>;
                trace: z.ZodNullable<z.ZodString>;
                parent_id: z.ZodNullable<z.ZodInt>;
                retry_of: z.ZodNullable<z.ZodInt>;
            }, z.core.$strip>;
        };
    };
    readonly listAttempts: {
        readonly method: 'GET';
        readonly scope: readonly ['read', 'enqueue'];
        readonly tag: 'jobs';
        readonly params: z.ZodObject<{
            id: z.ZodPreprocess<z.ZodInt, unknown>;
        }, z.core.$strict>;
        readonly errors: readonly ['unknown_job'];
        readonly path: "/api/v1/jobs/{id}/attempts";
        readonly summary: "List the ended attempts of a job, first to last.";
        readonly response: {
            200: z.ZodObject<{
                attempts: z.ZodArray<z.ZodObject<{
                    job_id: z.ZodInt;
                    attempt: z.ZodInt;
                    worker: z.ZodNullable<z.ZodString>;
                    claimed_at: z.ZodNullable<z.ZodISODateTime>;
                    started_at: z.ZodNullable<z.ZodISODateTime>;
                    finished_at: z.ZodISODateTime;
                    outcome: z.ZodEnum<{
                        canceled: "canceled";
                        failed: "failed";
                        lost: "lost";
                        parked: "parked";
                        released: "released";
                        snoozed: "snoozed";
                        succeeded: "succeeded";
                    }>;
                    moved_to: z.ZodEnum<{
                        assigned: "assigned";
                        canceled: "canceled";
                        errored: "errored";
                        failed: "failed";
                        parked: "parked";
                        paused: "paused";
                        pending: "pending";
                        queued: "queued";
                        retrying: "retrying";
                        running: "running";
                        scheduled: "scheduled";
                        succeeded: "succeeded";
                        waiting: "waiting";
                    }>;
                    final: z.ZodBoolean;
                    failures: z.ZodInt;
                    result: z.ZodUnknown;
                    reason: z.ZodNullable<z.ZodString>;
                    error_class: z.ZodNullable<z.ZodString>;
                    error_message: z.ZodNullable<z.ZodString>;
                    error_fingerprint: z.ZodNullable<z.ZodString>;
                    error_stack: z.ZodNullable<z.ZodString>;
                    log_excerpt: z.ZodNullable<z.ZodString>;
                    cleaned: z.ZodNullable<z.ZodArray<z.ZodString>>;
                }, z.core.$strip>>;
            }, z.core.$strip>;
        };
    };
    readonly listJobEvents: {
        readonly method: 'GET';
        readonly scope: readonly ['read', 'enqueue'];
        readonly tag: 'jobs';
        readonly params: z.ZodObject<{
            id: z.ZodPreprocess<z.ZodInt, unknown>;
        }, z.core.$strict>;
        readonly errors: readonly ['unknown_job'];
        readonly path: "/api/v1/jobs/{id}/events";
        readonly summary: "List the events of a job.";
        readonly response: {
            200: z.ZodObject<{
                events: z.ZodArray<z.ZodObject<{
                    id: z.ZodInt;
                    at: z.ZodISODateTime;
                    type: z.ZodString;
                    job_ids: z.ZodArray<z.ZodInt>;
                    actor: z.ZodNullable<z.ZodString>;
                    reason: z.ZodNullable<z.ZodString>;
                    data: z.ZodUnknown;
                }, z.core.$strip>>;
            }, z.core.$strip>;
        };
    };
    readonly explainJob: {
        readonly method: 'GET';
        readonly scope: readonly ['read', 'enqueue'];
        readonly tag: 'jobs';
        readonly params: z.ZodObject<{
            id: z.ZodPreprocess<z.ZodInt, unknown>;
        }, z.core.$strict>;
        readonly errors: readonly ['unknown_job'];
        readonly path: "/api/v1/jobs/{id}/explain";
        readonly summary: "Explain why a job is in its state.";
        readonly response: {
            200: z.ZodObject<{
                reasons: z.ZodArray<z.ZodObject<{
                    code: z.ZodString;
                    blocking: z.ZodBoolean;
                    sentence: z.ZodString;
                    data: z.ZodRecord<z.ZodString, z.ZodUnknown>;
                }, z.core.$strip>>;
            }, z.core.$strip>;
        };
    };
    readonly relatedJobs: {
        readonly method: 'GET';
        readonly scope: readonly ['read', 'enqueue'];
        readonly tag: 'jobs';
        readonly params: z.ZodObject<{
            id: z.ZodPreprocess<z.ZodInt, unknown>;
        }, z.core.$strict>;
        readonly errors: readonly ['unknown_job'];
        readonly path: "/api/v1/jobs/{id}/related";
        readonly summary: "List the family of a job: what enqueued it, its children, its retries, the jobs of its trace.";
        readonly response: {
            200: z.ZodObject<{
                jobs: z.ZodArray<z.ZodObject<{
                    id: z.ZodInt;
                    queue: z.ZodString;
                    kind: z.ZodString;
                    state: z.ZodEnum<{
                        assigned: "assigned";
                        canceled: "canceled";
                        errored: "errored";
                        failed: "failed";
                        parked: "parked";
                        paused: "paused";
                        pending: "pending";
                        queued: "queued";
                        retrying: "retrying";
                        running: "running";
                        scheduled: "scheduled";
                        succeeded: "succeeded";
                        waiting: "waiting";
                    }>;
                    status: z.ZodString;
                    created_at: z.ZodISODateTime;
                    finished_at: z.ZodNullable<z.ZodISODateTime>;
                    trace: z.ZodNullable<z.ZodString>;
                    parent_id: z.ZodNullable<z.ZodInt>;
                    retry_of: z.ZodNullable<z.ZodInt>;
                }, z.core.$strip>>;
                complete: z.ZodBoolean;
            }, z.core.$strip>;
        };
    };
    readonly jobHistory: {
        readonly method: 'GET';
        readonly scope: readonly ['read', 'enqueue'];
        readonly tag: 'jobs';
        readonly params: z.ZodObject<{
            id: z.ZodPreprocess<z.ZodInt, unknown>;
        }, z.core.$strict>;
        readonly errors: readonly ['unknown_job'];
        readonly path: "/api/v1/jobs/{id}/history";
        readonly summary: "Get the complete history of a job as one document.";
        readonly response: {
            200: z.ZodRecord<z.ZodString, z.ZodUnknown>;
        };
    };
};

const keysContract: {
    readonly listKeys: {
        readonly method: "GET";
        readonly path: "/api/v1/keys";
        readonly scope: "admin";
        readonly tag: "keys";
        readonly summary: "List keys of the tenant, newest first. A key for all tenants sees all keys unless it selects a tenant.";
        readonly query: z.ZodObject<{
            page_size: z.ZodDefault<z.ZodPreprocess<z.ZodInt, unknown>>;
            page_token: z.ZodOptional<z.ZodString>;
        }, z.core.$strict>;
        readonly response: {
            200: z.ZodObject<{
                keys: z.ZodArray<z.ZodObject<{
                    id: z.ZodInt;
                    tenant: z.ZodString;
                    name: z.ZodString;
                    hint: z.ZodString;
                    scopes: z.ZodArray<z.ZodEnum<{
                        admin: "admin";
                        enqueue: "enqueue";
                        operate: "operate";
                        read: "read";
                        work: "work";
                    }>>;
                    rate_limit: z.ZodNullable<z.ZodInt>;
                    state: z.ZodEnum<{
                        expired: "expired";
                        live: "live";
                        revoked: "revoked";
                    }>;
                    created_at: z.ZodISODateTime;
                    created_by: z.ZodNullable<z.ZodString>;
                    expires_at: z.ZodNullable<z.ZodISODateTime>;
                    last_used_at: z.ZodNullable<z.ZodISODateTime>;
                    revoked_at: z.ZodNullable<z.ZodISODateTime>;
                    revoked_by: z.ZodNullable<z.ZodString>;
                    revoke_reason: z.ZodNullable<z.ZodString>;
                    replaces: z.ZodNullable<z.ZodInt>;
                }, z.core.$strip>>;
                keys_required_since: z.ZodNullable<z.ZodISODateTime>;
                next_page_token: z.ZodNullable<z.ZodString>;
            }, z.core.$strip>;
        };
        readonly errors: readonly [];
    };
    readonly createKey: {
        readonly method: "POST";
        readonly path: "/api/v1/keys";
        readonly scope: "admin";
        readonly tag: "keys";
        readonly summary: "Create a key for the tenant.";
        readonly body: z.ZodObject<{
            name: z.ZodString;
            scopes: z.ZodArray<z.ZodEnum<{
                admin: "admin";
                enqueue: "enqueue";
                operate: "operate";
                read: "read";
                work: "work";
            }>>;
            expires_at: z.ZodOptional<z.ZodISODateTime>;
            rate_limit: z.ZodOptional<z.ZodInt>;
            every_tenant: z.ZodOptional<z.ZodBoolean>;
            reason: z.ZodOptional<z.ZodString>;
        }, z.core.$strict>;
        readonly response: {
            201: z.ZodObject<{
                id: z.ZodInt;
                secret: z.ZodString;
            }, z.core.$strip>;
        };
        readonly errors: readonly ["key_name_taken"];
    };
    readonly getKey: {
        readonly method: "GET";
        readonly path: "/api/v1/keys/{id}";
        readonly scope: "admin";
        readonly tag: "keys";
        readonly summary: "Get a key, without its secret.";
        readonly params: z.ZodObject<{
            id: z.ZodPreprocess<z.ZodInt, unknown>;
        }, z.core.$strict>;
        readonly response: {
            200: z.ZodObject<{
                id: z.ZodInt;
                tenant: z.ZodString;
                name: z.ZodString;
                hint: z.ZodString;
                scopes: z.ZodArray<z.ZodEnum<{
                    admin: "admin";
                    enqueue: "enqueue";
                    operate: "operate";
                    read: "read";
                    work: "work";
                }>>;
                rate_limit: z.ZodNullable<z.ZodInt>;
                state: z.ZodEnum<{
                    expired: "expired";
                    live: "live";
                    revoked: "revoked";
                }>;
                created_at: z.ZodISODateTime;
                created_by: z.ZodNullable<z.ZodString>;
                expires_at: z.ZodNullable<z.ZodISODateTime>;
                last_used_at: z.ZodNullable<z.ZodISODateTime>;
                revoked_at: z.ZodNullable<z.ZodISODateTime>;
                revoked_by: z.ZodNullable<z.ZodString>;
                revoke_reason: z.ZodNullable<z.ZodString>;
                replaces: z.ZodNullable<z.ZodInt>;
            }, z.core.$strip>;
        };
        readonly errors: readonly ["unknown_key"];
    };
    readonly rotateKey: {
        readonly method: "POST";
        readonly path: "/api/v1/keys/{id}/rotate";
        readonly scope: "admin";
        readonly tag: "keys";
        readonly summary: "Replace a key by a new one with the same name and scopes. The old one stays valid for a while.";
        readonly params: z.ZodObject<{
            id: z.ZodPreprocess<z.ZodInt, unknown>;
        }, z.core.$strict>;
        readonly body: z.ZodPrefault<z.ZodObject<{
            overlap_ms: z.ZodDefault<z.ZodInt>;
            reason: z.ZodOptional<z.ZodString>;
        }, z.core.$strict>>;
        readonly response: {
            201: z.ZodObject<{
                id: z.ZodInt;
                secret: z.ZodString;
                old_expires_at: z.ZodISODateTime;
            }, z.core.$strip>;
        };
        readonly errors: readonly ["unknown_key", "conflict"];
    };
    readonly revokeKey: {
        readonly method: "DELETE";
        readonly path: "/api/v1/keys/{id}";
        readonly scope: "admin";
        readonly tag: "keys";
        readonly summary: "Revoke a key at once.";
        readonly params: z.ZodObject<{
            id: z.ZodPreprocess<z.ZodInt, unknown>;
        }, z.core.$strict>;
        readonly body: z.ZodOptional<z.ZodObject<{
            reason: z.ZodOptional<z.ZodString>;
        }, z.core.$strict>>;
        readonly response: {
            200: z.ZodObject<{
                id: z.ZodInt;
                revoked: z.ZodBoolean;
            }, z.core.$strip>;
        };
        readonly errors: readonly ["unknown_key"];
    };
};

const newJob: z.ZodObject<{
    queue: z.ZodString;
    preset: z.ZodOptional<z.ZodEnum<{
        catalog: "catalog";
        crawl: "crawl";
        default: "default";
        harvest: "harvest";
        pipeline: "pipeline";
        target: "target";
    }>>;
    kind: z.ZodString;
    input: z.ZodOptional<z.ZodUnknown>;
    key: z.ZodOptional<z.ZodString>;
    target: z.ZodOptional<z.ZodString>;
    subject: z.ZodOptional<z.ZodString>;
    target_id: z.ZodOptional<z.ZodUnion<readonly [z.ZodInt, z.ZodString]>>;
    subreddit_id: z.ZodOptional<z.ZodUnion<readonly [z.ZodInt, z.ZodString]>>;
    priority: z.ZodOptional<z.ZodInt>;
    run_at: z.ZodOptional<z.ZodISODateTime>;
    visible_at: z.ZodOptional<z.ZodISODateTime>;
    delay_ms: z.ZodOptional<z.ZodInt>;
    pending: z.ZodOptional<z.ZodBoolean>;
    max_retries: z.ZodOptional<z.ZodInt>;
    max_attempts: z.ZodOptional<z.ZodInt>;
    timeout_ms: z.ZodOptional<z.ZodInt>;
    token_limit: z.ZodOptional<z.ZodInt>;
    item_goal: z.ZodOptional<z.ZodInt>;
    target_count: z.ZodOptional<z.ZodInt>;
    collection: z.ZodOptional<z.ZodString>;
    created_by: z.ZodOptional<z.ZodString>;
    trace: z.ZodOptional<z.ZodString>;
    labels: z.ZodOptional<z.ZodRecord<z.ZodString, z.ZodString>>;
    parent_id: z.ZodOptional<z.ZodInt>;
}, z.core.$strict>;

const overviewContract: {
    readonly overview: {
        readonly method: "GET";
        readonly path: "/api/v1/overview";
        readonly scope: "read";
        readonly tag: "stats";
        readonly summary: "What needs an operator, most severe first, where the jobs are, and counts for the navigation.";
        readonly response: {
            200: z.ZodObject<{
                now: z.ZodISODateTime;
                counted_to: z.ZodNullable<z.ZodISODateTime>;
                problems: z.ZodArray<z.ZodObject<{
                    id: z.ZodString;
                    type: z.ZodEnum<{
                        alert: "alert";
                        blocked_target: "blocked_target";
                        failing_kind: "failing_kind";
                        late_schedule: "late_schedule";
                        no_worker: "no_worker";
                        oldest_ready: "oldest_ready";
                        paused_queue: "paused_queue";
                        stuck_upkeep: "stuck_upkeep";
                    }>;
                    severity: z.ZodEnum<{
                        critical: "critical";
                        warning: "warning";
                    }>;
                    subject: z.ZodObject<{
                        type: z.ZodEnum<{
                            chore: "chore";
                            installation: "installation";
                            kind: "kind";
                            queue: "queue";
                            schedule: "schedule";
                            target: "target";
                        }>;
                        name: z.ZodString;
                        queue: z.ZodNullable<z.ZodString>;
                        kind: z.ZodNullable<z.ZodString>;
                        job_id: z.ZodNullable<z.ZodInt>;
                    }, z.core.$strip>;
                    text: z.ZodString;
                    next: z.ZodString;
                    since: z.ZodNullable<z.ZodISODateTime>;
                    numbers: z.ZodRecord<z.ZodString, z.ZodNumber>;
                    error: z.ZodNullable<z.ZodObject<{
                        fingerprint: z.ZodNullable<z.ZodString>;
                        message: z.ZodString;
                        first_version: z.ZodNullable<z.ZodString>;
                    }, z.core.$strip>>;
                    alert_id: z.ZodNullable<z.ZodInt>;
                    actions: z.ZodArray<z.ZodDiscriminatedUnion<[z.ZodObject<{
                        type: z.ZodLiteral<"call">;
                        label: z.ZodString;
                        method: z.ZodEnum<{
                            DELETE: "DELETE";
                            PATCH: "PATCH";
                            POST: "POST";
                            PUT: "PUT";
                        }>;
                        path: z.ZodString;
                        body: z.ZodNullable<z.ZodRecord<z.ZodString, z.ZodUnknown>>;
                        scope: z.ZodEnum<{
                            admin: "admin";
                            enqueue: "enqueue";
                            operate: "operate";
                            read: "read";
                            work: "work";
                        }>;
                    }, z.core.$strip>, z.ZodObject<{
                        type: z.ZodLiteral<"open">;
                        label: z.ZodString;
                        page: z.ZodString;
                        params: z.ZodRecord<z.ZodString, z.ZodString>;
                    }, z.core.$strip>], "type">>;
                }, z.core.$strip>>;
                problems_capped: z.ZodBoolean;
                flow: z.ZodObject<{
                    places: z.ZodObject<{
                        delayed: z.ZodObject<{
                            count: z.ZodInt;
                            capped: z.ZodBoolean;
                        }, z.core.$strip>;
                        ready: z.ZodObject<{
                            count: z.ZodInt;
                            capped: z.ZodBoolean;
                        }, z.core.$strip>;
                        running: z.ZodObject<{
                            count: z.ZodInt;
                            capped: z.ZodBoolean;
                        }, z.core.$strip>;
                        waiting: z.ZodObject<{
                            count: z.ZodInt;
                            capped: z.ZodBoolean;
                        }, z.core.$strip>;
                        blocked: z.ZodObject<{
                            count: z.ZodInt;
                            capped: z.ZodBoolean;
                        }, z.core.$strip>;
                        paused: z.ZodObject<{
                            count: z.ZodInt;
                            capped: z.ZodBoolean;
                        }, z.core.$strip>;
                        parked: z.ZodObject<{
                            count: z.ZodInt;
                            capped: z.ZodBoolean;
                        }, z.core.$strip>;
                        pending: z.ZodObject<{
                            count: z.ZodInt;
                            capped: z.ZodBoolean;
                        }, z.core.$strip>;
                    }, z.core.$strip>;
                    ended_24h: z.ZodObject<{
                        succeeded: z.ZodInt;
                        failed: z.ZodInt;
                        canceled: z.ZodInt;
                    }, z.core.$strip>;
                    per_minute: z.ZodObject<{
                        enqueued: z.ZodNumber;
                        started: z.ZodNumber;
                        ended: z.ZodNumber;
                        succeeded: z.ZodNumber;
                        failed: z.ZodNumber;
                        attempts_failed: z.ZodNumber;
                    }, z.core.$strip>;
                    slots: z.ZodInt;
                    busy: z.ZodInt;
                    oldest_ready_at: z.ZodNullable<z.ZodISODateTime>;
                    next_due_at: z.ZodNullable<z.ZodISODateTime>;
                }, z.core.$strip>;
                counts: z.ZodObject<{
                    jobs: z.ZodObject<{
                        count: z.ZodInt;
                        capped: z.ZodBoolean;
                    }, z.core.$strip>;
                    queues: z.ZodInt;
                    kinds: z.ZodInt;
                    blocked_targets: z.ZodObject<{
                        count: z.ZodInt;
                        capped: z.ZodBoolean;
                    }, z.core.$strip>;
                    schedules: z.ZodInt;
                    late_schedules: z.ZodInt;
                    workers: z.ZodInt;
                    firing_alerts: z.ZodInt;
                    error_groups: z.ZodInt;
                }, z.core.$strip>;
            }, z.core.$strip>;
        };
        readonly errors: readonly [];
    };
};

const queuesContract: {
    readonly listQueues: {
        readonly method: "GET";
        readonly path: "/api/v1/queues";
        readonly scope: "read";
        readonly tag: "queues";
        readonly summary: "List queues with their counts. Each count stops at `counted_max`; `capped` names those that stopped.";
        readonly response: {
            200: z.ZodObject<{
                queues: z.ZodArray<z.ZodObject<{
                    id: z.ZodInt;
                    name: z.ZodString;
                    tenant: z.ZodString;
                    preset: z.ZodEnum<{
                        catalog: "catalog";
                        crawl: "crawl";
                        default: "default";
                        harvest: "harvest";
                        pipeline: "pipeline";
                        target: "target";
                    }>;
                    paused_at: z.ZodNullable<z.ZodISODateTime>;
                    paused_by: z.ZodNullable<z.ZodString>;
                    pause_reason: z.ZodNullable<z.ZodString>;
                    created_at: z.ZodISODateTime;
                    policy: z.ZodObject<{
                        order: z.ZodEnum<{
                            fifo: "fifo";
                            global_fifo: "global_fifo";
                            priority: "priority";
                        }>;
                        max_retries: z.ZodNullable<z.ZodInt>;
                        retry_base_ms: z.ZodNullable<z.ZodInt>;
                        retry_factor: z.ZodNumber;
                        retry_cap_ms: z.ZodNullable<z.ZodInt>;
                        jitter_low: z.ZodNumber;
                        jitter_high: z.ZodNumber;
                        lease_ms: z.ZodNullable<z.ZodInt>;
                        heartbeat_ms: z.ZodNullable<z.ZodInt>;
                        renewed_by: z.ZodEnum<{
                            heartbeat: "heartbeat";
                            nothing: "nothing";
                            report: "report";
                        }>;
                        on_lease_lost: z.ZodEnum<{
                            count: "count";
                            error: "error";
                            retry: "retry";
                        }>;
                        crash_budget: z.ZodNullable<z.ZodInt>;
                        on_cancel: z.ZodEnum<{
                            cancel: "cancel";
                            pause: "pause";
                        }>;
                        on_shutdown: z.ZodEnum<{
                            pause: "pause";
                            release: "release";
                        }>;
                        serialize_targets: z.ZodBoolean;
                        on_error: z.ZodEnum<{
                            block: "block";
                            continue: "continue";
                        }>;
                        dedup: z.ZodEnum<{
                            reject: "reject";
                            replace: "replace";
                            return_existing: "return_existing";
                        }>;
                        dedup_by: z.ZodEnum<{
                            key: "key";
                            subject: "subject";
                        }>;
                        strict: z.ZodBoolean;
                        timeout_ms: z.ZodNullable<z.ZodInt>;
                        items_key: z.ZodNullable<z.ZodString>;
                        external_trigger: z.ZodNullable<z.ZodString>;
                        max_running: z.ZodNullable<z.ZodInt>;
                        max_running_per_target: z.ZodInt;
                        rate_limit: z.ZodNullable<z.ZodInt>;
                        rate_period_ms: z.ZodInt;
                        rate_burst: z.ZodNullable<z.ZodInt>;
                        rate_per_key: z.ZodBoolean;
                        retention_ms: z.ZodNullable<z.ZodInt>;
                        record_starts: z.ZodBoolean;
                        unknown_kinds: z.ZodEnum<{
                            accept: "accept";
                            refuse: "refuse";
                        }>;
                    }, z.core.$strip>;
                    counts: z.ZodObject<{
                        queued: z.ZodInt;
                        running: z.ZodInt;
                        delayed: z.ZodInt;
                        waiting: z.ZodInt;
                        blocked: z.ZodInt;
                        capped: z.ZodArray<z.ZodEnum<{
                            blocked: "blocked";
                            delayed: "delayed";
                            queued: "queued";
                            running: "running";
                            waiting: "waiting";
                        }>>;
                    }, z.core.$strip>;
                }, z.core.$strip>>;
                counted_max: z.ZodInt;
            }, z.core.$strip>;
        };
        readonly errors: readonly [];
    };
    readonly createQueue: {
        readonly method: "POST";
        readonly path: "/api/v1/queues";
        readonly scope: "operate";
        readonly tag: "queues";
        readonly summary: "Create a queue from a preset.";
        readonly body: z.ZodObject<{
            name: z.ZodString;
            preset: z.ZodDefault<z.ZodEnum<{
                catalog: "catalog";
                crawl: "crawl";
                default: "default";
                harvest: "harvest";
                pipeline: "pipeline";
                target: "target";
            }>>;
            policy: z.ZodOptional<z.ZodObject<{
                order: z.ZodOptional<z.ZodEnum<{
                    fifo: "fifo";
                    global_fifo: "global_fifo";
                    priority: "priority";
                }>>;
                max_retries: z.ZodOptional<z.ZodNullable<z.ZodInt>>;
                retry_base_ms: z.ZodOptional<z.ZodNullable<z.ZodInt>>;
                retry_factor: z.ZodOptional<z.ZodNumber>;
                retry_cap_ms: z.ZodOptional<z.ZodNullable<z.ZodInt>>;
                jitter_low: z.ZodOptional<z.ZodNumber>;
                jitter_high: z.ZodOptional<z.ZodNumber>;
                lease_ms: z.ZodOptional<z.ZodNullable<z.ZodInt>>;
                heartbeat_ms: z.ZodOptional<z.ZodNullable<z.ZodInt>>;
                renewed_by: z.ZodOptional<z.ZodEnum<{
                    heartbeat: "heartbeat";
                    nothing: "nothing";
                    report: "report";
                }>>;
                on_lease_lost: z.ZodOptional<z.ZodEnum<{
                    count: "count";
                    error: "error";
                    retry: "retry";
                }>>;
                crash_budget: z.ZodOptional<z.ZodNullable<z.ZodInt>>;
                on_cancel: z.ZodOptional<z.ZodEnum<{
                    cancel: "cancel";
                    pause: "pause";
                }>>;
                on_shutdown: z.ZodOptional<z.ZodEnum<{
                    pause: "pause";
                    release: "release";
                }>>;
                serialize_targets: z.ZodOptional<z.ZodBoolean>;
                on_error: z.ZodOptional<z.ZodEnum<{
                    block: "block";
                    continue: "continue";
                }>>;
                dedup: z.ZodOptional<z.ZodEnum<{
                    reject: "reject";
                    replace: "replace";
                    return_existing: "return_existing";
                }>>;
                dedup_by: z.ZodOptional<z.ZodEnum<{
                    key: "key";
                    subject: "subject";
                }>>;
                strict: z.ZodOptional<z.ZodBoolean>;
                timeout_ms: z.ZodOptional<z.ZodNullable<z.ZodInt>>;
                items_key: z.ZodOptional<z.ZodNullable<z.ZodString>>;
                external_trigger: z.ZodOptional<z.ZodNullable<z.ZodString>>;
                max_running: z.ZodOptional<z.ZodNullable<z.ZodInt>>;
                max_running_per_target: z.ZodOptional<z.ZodInt>;
                rate_limit: z.ZodOptional<z.ZodNullable<z.ZodInt>>;
                rate_period_ms: z.ZodOptional<z.ZodInt>;
                rate_burst: z.ZodOptional<z.ZodNullable<z.ZodInt>>;
                rate_per_key: z.ZodOptional<z.ZodBoolean>;
                retention_ms: z.ZodOptional<z.ZodNullable<z.ZodInt>>;
                record_starts: z.ZodOptional<z.ZodBoolean>;
                unknown_kinds: z.ZodOptional<z.ZodEnum<{
                    accept: "accept";
                    refuse: "refuse";
                }>>;
            }, z.core.$strict>>;
        }, z.core.$strict>;
        readonly response: {
            201: z.ZodObject<{
                id: z.ZodInt;
                name: z.ZodString;
                tenant: z.ZodString;
                preset: z.ZodEnum<{
                    catalog: "catalog";
                    crawl: "crawl";
                    default: "default";
                    harvest: "harvest";
                    pipeline: "pipeline";
                    target: "target";
                }>;
                paused_at: z.ZodNullable<z.ZodISODateTime>;
                paused_by: z.ZodNullable<z.ZodString>;
                pause_reason: z.ZodNullable<z.ZodString>;
                created_at: z.ZodISODateTime;
                policy: z.ZodObject<{
                    order: z.ZodEnum<{
                        fifo: "fifo";
                        global_fifo: "global_fifo";
                        priority: "priority";
                    }>;
                    max_retries: z.ZodNullable<z.ZodInt>;
                    retry_base_ms: z.ZodNullable<z.ZodInt>;
                    retry_factor: z.ZodNumber;
                    retry_cap_ms: z.ZodNullable<z.ZodInt>;
                    jitter_low: z.ZodNumber;
                    jitter_high: z.ZodNumber;
                    lease_ms: z.ZodNullable<z.ZodInt>;
                    heartbeat_ms: z.ZodNullable<z.ZodInt>;
                    renewed_by: z.ZodEnum<{
                        heartbeat: "heartbeat";
                        nothing: "nothing";
                        report: "report";
                    }>;
                    on_lease_lost: z.ZodEnum<{
                        count: "count";
                        error: "error";
                        retry: "retry";
                    }>;
                    crash_budget: z.ZodNullable<z.ZodInt>;
                    on_cancel: z.ZodEnum<{
                        cancel: "cancel";
                        pause: "pause";
                    }>;
                    on_shutdown: z.ZodEnum<{
                        pause: "pause";
                        release: "release";
                    }>;
                    serialize_targets: z.ZodBoolean;
                    on_error: z.ZodEnum<{
                        block: "block";
                        continue: "continue";
                    }>;
                    dedup: z.ZodEnum<{
                        reject: "reject";
                        replace: "replace";
                        return_existing: "return_existing";
                    }>;
                    dedup_by: z.ZodEnum<{
                        key: "key";
                        subject: "subject";
                    }>;
                    strict: z.ZodBoolean;
                    timeout_ms: z.ZodNullable<z.ZodInt>;
                    items_key: z.ZodNullable<z.ZodString>;
                    external_trigger: z.ZodNullable<z.ZodString>;
                    max_running: z.ZodNullable<z.ZodInt>;
                    max_running_per_target: z.ZodInt;
                    rate_limit: z.ZodNullable<z.ZodInt>;
                    rate_period_ms: z.ZodInt;
                    rate_burst: z.ZodNullable<z.ZodInt>;
                    rate_per_key: z.ZodBoolean;
                    retention_ms: z.ZodNullable<z.ZodInt>;
                    record_starts: z.ZodBoolean;
                    unknown_kinds: z.ZodEnum<{
                        accept: "accept";
                        refuse: "refuse";
                    }>;
                }, z.core.$strip>;
            }, z.core.$strip>;
        };
        readonly errors: readonly ["queue_exists"];
    };
    readonly getQueue: {
        readonly method: "GET";
        readonly path: "/api/v1/queues/{name}";
        readonly scope: readonly ["read", "enqueue"];
        readonly tag: "queues";
        readonly summary: "Get a queue and its policy.";
        readonly params: z.ZodObject<{
            name: z.ZodString;
        }, z.core.$strict>;
        readonly response: {
            200: z.ZodObject<{
                id: z.ZodInt;
                name: z.ZodString;
                tenant: z.ZodString;
                preset: z.ZodEnum<{
                    catalog: "catalog";
                    crawl: "crawl";
                    default: "default";
                    harvest: "harvest";
                    pipeline: "pipeline";
                    target: "target";
                }>;
                paused_at: z.ZodNullable<z.ZodISODateTime>;
                paused_by: z.ZodNullable<z.ZodString>;
                pause_reason: z.ZodNullable<z.ZodString>;
                created_at: z.ZodISODateTime;
                policy: z.ZodObject<{
                    order: z.ZodEnum<{
                        fifo: "fifo";
                        global_fifo: "global_fifo";
                        priority: "priority";
                    }>;
                    max_retries: z.ZodNullable<z.ZodInt>;
                    retry_base_ms: z.ZodNullable<z.ZodInt>;
                    retry_factor: z.ZodNumber;
                    retry_cap_ms: z.ZodNullable<z.ZodInt>;
                    jitter_low: z.ZodNumber;
                    jitter_high: z.ZodNumber;
                    lease_ms: z.ZodNullable<z.ZodInt>;
                    heartbeat_ms: z.ZodNullable<z.ZodInt>;
                    renewed_by: z.ZodEnum<{
                        heartbeat: "heartbeat";
                        nothing: "nothing";
                        report: "report";
                    }>;
                    on_lease_lost: z.ZodEnum<{
                        count: "count";
                        error: "error";
                        retry: "retry";
                    }>;
                    crash_budget: z.ZodNullable<z.ZodInt>;
                    on_cancel: z.ZodEnum<{
                        cancel: "cancel";
                        pause: "pause";
                    }>;
                    on_shutdown: z.ZodEnum<{
                        pause: "pause";
                        release: "release";
                    }>;
                    serialize_targets: z.ZodBoolean;
                    on_error: z.ZodEnum<{
                        block: "block";
                        continue: "continue";
                    }>;
                    dedup: z.ZodEnum<{
                        reject: "reject";
                        replace: "replace";
                        return_existing: "return_existing";
                    }>;
                    dedup_by: z.ZodEnum<{
                        key: "key";
                        subject: "subject";
                    }>;
                    strict: z.ZodBoolean;
                    timeout_ms: z.ZodNullable<z.ZodInt>;
                    items_key: z.ZodNullable<z.ZodString>;
                    external_trigger: z.ZodNullable<z.ZodString>;
                    max_running: z.ZodNullable<z.ZodInt>;
                    max_running_per_target: z.ZodInt;
                    rate_limit: z.ZodNullable<z.ZodInt>;
                    rate_period_ms: z.ZodInt;
                    rate_burst: z.ZodNullable<z.ZodInt>;
                    rate_per_key: z.ZodBoolean;
                    retention_ms: z.ZodNullable<z.ZodInt>;
                    record_starts: z.ZodBoolean;
                    unknown_kinds: z.ZodEnum<{
                        accept: "accept";
                        refuse: "refuse";
                    }>;
                }, z.core.$strip>;
            }, z.core.$strip>;
        };
        readonly errors: readonly ["unknown_queue"];
    };
    readonly queueState: {
        readonly method: "GET";
        readonly path: "/api/v1/queues/{name}/state";
        readonly scope: "read";
        readonly tag: "queues";
        readonly summary: "Get a queue as it is now: jobs by priority, limits that are reached, and its policy in sentences.";
        readonly params: z.ZodObject<{
            name: z.ZodString;
        }, z.core.$strict>;
        readonly response: {
            200: z.ZodObject<{
                name: z.ZodString;
                sentences: z.ZodArray<z.ZodString>;
                priorities: z.ZodArray<z.ZodObject<{
                    count: z.ZodInt;
                    capped: z.ZodBoolean;
                    priority: z.ZodInt;
                }, z.core.$strip>>;
                ready: z.ZodObject<{
                    count: z.ZodInt;
                    capped: z.ZodBoolean;
                }, z.core.$strip>;
                oldest_ready_at: z.ZodNullable<z.ZodISODateTime>;
                running: z.ZodObject<{
                    count: z.ZodInt;
                    capped: z.ZodBoolean;
                }, z.core.$strip>;
                delayed: z.ZodObject<{
                    count: z.ZodInt;
                    capped: z.ZodBoolean;
                }, z.core.$strip>;
                waiting: z.ZodObject<{
                    count: z.ZodInt;
                    capped: z.ZodBoolean;
                }, z.core.$strip>;
                blocked: z.ZodObject<{
                    count: z.ZodInt;
                    capped: z.ZodBoolean;
                }, z.core.$strip>;
                limits_reached: z.ZodArray<z.ZodObject<{
                    code: z.ZodString;
                    sentence: z.ZodString;
                }, z.core.$strip>>;
                workers: z.ZodInt;
                slots: z.ZodInt;
            }, z.core.$strip>;
        };
        readonly errors: readonly ["unknown_queue"];
    };
    readonly setPolicy: {
        readonly method: "PATCH";
        readonly path: "/api/v1/queues/{name}";
        readonly scope: "operate";
        readonly tag: "queues";
        readonly summary: "Change the policy of a queue, or its preset while none of its live jobs was attempted.";
        readonly params: z.ZodObject<{
            name: z.ZodString;
        }, z.core.$strict>;
        readonly body: z.ZodObject<{
            preset: z.ZodOptional<z.ZodEnum<{
                catalog: "catalog";
                crawl: "crawl";
                default: "default";
                harvest: "harvest";
                pipeline: "pipeline";
                target: "target";
            }>>;
            policy: z.ZodOptional<z.ZodObject<{
                order: z.ZodOptional<z.ZodEnum<{
                    fifo: "fifo";
                    global_fifo: "global_fifo";
                    priority: "priority";
                }>>;
                max_retries: z.ZodOptional<z.ZodNullable<z.ZodInt>>;
                retry_base_ms: z.ZodOptional<z.ZodNullable<z.ZodInt>>;
                retry_factor: z.ZodOptional<z.ZodNumber>;
                retry_cap_ms: z.ZodOptional<z.ZodNullable<z.ZodInt>>;
                jitter_low: z.ZodOptional<z.ZodNumber>;
                jitter_high: z.ZodOptional<z.ZodNumber>;
                lease_ms: z.ZodOptional<z.ZodNullable<z.ZodInt>>;
                heartbeat_ms: z.ZodOptional<z.ZodNullable<z.ZodInt>>;
                renewed_by: z.ZodOptional<z.ZodEnum<{
                    heartbeat: "heartbeat";
                    nothing: "nothing";
                    report: "report";
                }>>;
                on_lease_lost: z.ZodOptional<z.ZodEnum<{
                    count: "count";
                    error: "error";
                    retry: "retry";
                }>>;
                crash_budget: z.ZodOptional<z.ZodNullable<z.ZodInt>>;
                on_cancel: z.ZodOptional<z.ZodEnum<{
                    cancel: "cancel";
                    pause: "pause";
                }>>;
                on_shutdown: z.ZodOptional<z.ZodEnum<{
                    pause: "pause";
                    release: "release";
                }>>;
                serialize_targets: z.ZodOptional<z.ZodBoolean>;
                on_error: z.ZodOptional<z.ZodEnum<{
                    block: "block";
                    continue: "continue";
                }>>;
                dedup: z.ZodOptional<z.ZodEnum<{
                    reject: "reject";
                    replace: "replace";
                    return_existing: "return_existing";
                }>>;
                dedup_by: z.ZodOptional<z.ZodEnum<{
                    key: "key";
                    subject: "subject";
                }>>;
                strict: z.ZodOptional<z.ZodBoolean>;
                timeout_ms: z.ZodOptional<z.ZodNullable<z.ZodInt>>;
                items_key: z.ZodOptional<z.ZodNullable<z.ZodString>>;
                external_trigger: z.ZodOptional<z.ZodNullable<z.ZodString>>;
                max_running: z.ZodOptional<z.ZodNullable<z.ZodInt>>;
                max_running_per_target: z.ZodOptional<z.ZodInt>;
                rate_limit: z.ZodOptional<z.ZodNullable<z.ZodInt>>;
                rate_period_ms: z.ZodOptional<z.ZodInt>;
                rate_burst: z.ZodOptional<z.ZodNullable<z.ZodInt>>;
                rate_per_key: z.ZodOptional<z.ZodBoolean>;
                retention_ms: z.ZodOptional<z.ZodNullable<z.ZodInt>>;
                record_starts: z.ZodOptional<z.ZodBoolean>;
                unknown_kinds: z.ZodOptional<z.ZodEnum<{
                    accept: "accept";
                    refuse: "refuse";
                }>>;
            }, z.core.$strict>>;
            reason: z.ZodOptional<z.ZodString>;
        }, z.core.$strict>;
        readonly response: {
            200: z.ZodObject<{
                id: z.ZodInt;
                name: z.ZodString;
                tenant: z.ZodString;
                preset: z.ZodEnum<{
                    catalog: "catalog";
                    crawl: "crawl";
                    default: "default";
                    harvest: "harvest";
                    pipeline: "pipeline";
                    target: "target";
                }>;
                paused_at: z.ZodNullable<z.ZodISODateTime>;
                paused_by: z.ZodNullable<z.ZodString>;
                pause_reason: z.ZodNullable<z.ZodString>;
                created_at: z.ZodISODateTime;
                policy: z.ZodObject<{
                    order: z.ZodEnum<{
                        fifo: "fifo";
                        global_fifo: "global_fifo";
                        priority: "priority";
                    }>;
                    max_retries: z.ZodNullable<z.ZodInt>;
                    retry_base_ms: z.ZodNullable<z.ZodInt>;
                    retry_factor: z.ZodNumber;
                    retry_cap_ms: z.ZodNullable<z.ZodInt>;
                    jitter_low: z.ZodNumber;
                    jitter_high: z.ZodNumber;
                    lease_ms: z.ZodNullable<z.ZodInt>;
                    heartbeat_ms: z.ZodNullable<z.ZodInt>;
                    renewed_by: z.ZodEnum<{
                        heartbeat: "heartbeat";
                        nothing: "nothing";
                        report: "report";
                    }>;
                    on_lease_lost: z.ZodEnum<{
                        count: "count";
                        error: "error";
                        retry: "retry";
                    }>;
                    crash_budget: z.ZodNullable<z.ZodInt>;
                    on_cancel: z.ZodEnum<{
                        cancel: "cancel";
                        pause: "pause";
                    }>;
                    on_shutdown: z.ZodEnum<{
                        pause: "pause";
                        release: "release";
                    }>;
                    serialize_targets: z.ZodBoolean;
                    on_error: z.ZodEnum<{
                        block: "block";
                        continue: "continue";
                    }>;
                    dedup: z.ZodEnum<{
                        reject: "reject";
                        replace: "replace";
                        return_existing: "return_existing";
                    }>;
                    dedup_by: z.ZodEnum<{
                        key: "key";
                        subject: "subject";
                    }>;
                    strict: z.ZodBoolean;
                    timeout_ms: z.ZodNullable<z.ZodInt>;
                    items_key: z.ZodNullable<z.ZodString>;
                    external_trigger: z.ZodNullable<z.ZodString>;
                    max_running: z.ZodNullable<z.ZodInt>;
                    max_running_per_target: z.ZodInt;
                    rate_limit: z.ZodNullable<z.ZodInt>;
                    rate_period_ms: z.ZodInt;
                    rate_burst: z.ZodNullable<z.ZodInt>;
                    rate_per_key: z.ZodBoolean;
                    retention_ms: z.ZodNullable<z.ZodInt>;
                    record_starts: z.ZodBoolean;
                    unknown_kinds: z.ZodEnum<{
                        accept: "accept";
                        refuse: "refuse";
                    }>;
                }, z.core.$strip>;
            }, z.core.$strip>;
        };
        readonly errors: readonly ["unknown_queue", "queue_in_use", "conflict"];
    };
    readonly renameQueue: {
        readonly method: "POST";
        readonly path: "/api/v1/queues/{name}/rename";
        readonly scope: "operate";
        readonly tag: "queues";
        readonly summary: "Rename a queue, with its jobs, history, schedules and declared kinds.";
        readonly params: z.ZodObject<{
            name: z.ZodString;
        }, z.core.$strict>;
        readonly body: z.ZodObject<{
            to: z.ZodString;
            reason: z.ZodOptional<z.ZodString>;
        }, z.core.$strict>;
        readonly response: {
            200: z.ZodObject<{
                id: z.ZodInt;
                name: z.ZodString;
                tenant: z.ZodString;
                preset: z.ZodEnum<{
                    catalog: "catalog";
                    crawl: "crawl";
                    default: "default";
                    harvest: "harvest";
                    pipeline: "pipeline";
                    target: "target";
                }>;
                paused_at: z.ZodNullable<z.ZodISODateTime>;
                paused_by: z.ZodNullable<z.ZodString>;
                pause_reason: z.ZodNullable<z.ZodString>;
                created_at: z.ZodISODateTime;
                policy: z.ZodObject<{
                    order: z.ZodEnum<{
                        fifo: "fifo";
                        global_fifo: "global_fifo";
                        priority: "priority";
                    }>;
                    max_retries: z.ZodNullable<z.ZodInt>;
                    retry_base_ms: z.ZodNullable<z.ZodInt>;
                    retry_factor: z.ZodNumber;
                    retry_cap_ms: z.ZodNullable<z.ZodInt>;
                    jitter_low: z.ZodNumber;
                    jitter_high: z.ZodNumber;
                    lease_ms: z.ZodNullable<z.ZodInt>;
                    heartbeat_ms: z.ZodNullable<z.ZodInt>;
                    renewed_by: z.ZodEnum<{
                        heartbeat: "heartbeat";
                        nothing: "nothing";
                        report: "report";
                    }>;
                    on_lease_lost: z.ZodEnum<{
                        count: "count";
                        error: "error";
                        retry: "retry";
                    }>;
                    crash_budget: z.ZodNullable<z.ZodInt>;
                    on_cancel: z.ZodEnum<{
                        cancel: "cancel";
                        pause: "pause";
                    }>;
                    on_shutdown: z.ZodEnum<{
                        pause: "pause";
                        release: "release";
                    }>;
                    serialize_targets: z.ZodBoolean;
                    on_error: z.ZodEnum<{
                        block: "block";
                        continue: "continue";
                    }>;
                    dedup: z.ZodEnum<{
                        reject: "reject";
                        replace: "replace";
                        return_existing: "return_existing";
                    }>;
                    dedup_by: z.ZodEnum<{
                        key: "key";
                        subject: "subject";
                    }>;
                    strict: z.ZodBoolean;
                    timeout_ms: z.ZodNullable<z.ZodInt>;
                    items_key: z.ZodNullable<z.ZodString>;
                    external_trigger: z.ZodNullable<z.ZodString>;
                    max_running: z.ZodNullable<z.ZodInt>;
                    max_running_per_target: z.ZodInt;
                    rate_limit: z.ZodNullable<z.ZodInt>;
                    rate_period_ms: z.ZodInt;
                    rate_burst: z.ZodNullable<z.ZodInt>;
                    rate_per_key: z.ZodBoolean;
                    retention_ms: z.ZodNullable<z.ZodInt>;
                    record_starts: z.ZodBoolean;
                    unknown_kinds: z.ZodEnum<{
                        accept: "accept";
                        refuse: "refuse";
                    }>;
                }, z.core.$strip>;
            }, z.core.$strip>;
        };
        readonly errors: readonly ["unknown_queue", "queue_exists", "conflict"];
    };
    readonly removeQueue: {
        readonly method: "DELETE";
        readonly path: "/api/v1/queues/{name}";
        readonly scope: "operate";
        readonly tag: "queues";
        readonly summary: "Remove a queue without live jobs and schedules. Its ended jobs can no longer be read.";
        readonly params: z.ZodObject<{
            name: z.ZodString;
        }, z.core.$strict>;
        readonly body: z.ZodOptional<z.ZodObject<{
            with_items: z.ZodOptional<z.ZodBoolean>;
            reason: z.ZodOptional<z.ZodString>;
        }, z.core.$strict>>;
        readonly response: {
            204: null;
        };
        readonly errors: readonly ["unknown_queue", "queue_in_use", "conflict"];
    };
    readonly pauseQueue: {
        readonly method: "POST";
        readonly path: "/api/v1/queues/{name}/pause";
        readonly scope: "operate";
        readonly tag: "queues";
        readonly summary: "Pause a queue: no more jobs are claimed; running ones continue.";
        readonly params: z.ZodObject<{
            name: z.ZodString;
        }, z.core.$strict>;
        readonly body: z.ZodOptional<z.ZodObject<{
            reason: z.ZodOptional<z.ZodString>;
        }, z.core.$strict>>;
        readonly response: {
            200: z.ZodObject<{
                name: z.ZodString;
                changed: z.ZodBoolean;
            }, z.core.$strip>;
        };
        readonly errors: readonly ["unknown_queue"];
    };
    readonly resumeQueue: {
        readonly method: "POST";
        readonly path: "/api/v1/queues/{name}/resume";
        readonly scope: "operate";
        readonly tag: "queues";
        readonly summary: "Resume a queue.";
        readonly params: z.ZodObject<{
            name: z.ZodString;
        }, z.core.$strict>;
        readonly body: z.ZodOptional<z.ZodObject<{
            reason: z.ZodOptional<z.ZodString>;
        }, z.core.$strict>>;
        readonly response: {
            200: z.ZodObject<{
                name: z.ZodString;
                changed: z.ZodBoolean;
            }, z.core.$strip>;
        };
        readonly errors: readonly ["unknown_queue"];
    };
    readonly listBlockedTargets: {
        readonly method: "GET";
        readonly path: "/api/v1/targets";
        readonly scope: "read";
        readonly tag: "queues";
        readonly summary: "List blocked targets with the job that blocks each, the reason and the time; longest first.";
        readonly query: z.ZodObject<{
            queue: z.ZodOptional<z.ZodString>;
            page_size: z.ZodDefault<z.ZodPreprocess<z.ZodInt, unknown>>;
        }, z.core.$strict>;
        readonly response: {
            200: z.ZodObject<{
                targets: z.ZodArray<z.ZodObject<{
                    queue: z.ZodString;
                    target: z.ZodString;
                    job_id: z.ZodInt;
                    kind: z.ZodString;
                    state: z.ZodEnum<{
                        assigned: "assigned";
                        canceled: "canceled";
                        errored: "errored";
                        failed: "failed";
                        parked: "parked";
                        paused: "paused";
                        pending: "pending";
                        queued: "queued";
                        retrying: "retrying";
                        running: "running";
                        scheduled: "scheduled";
                        succeeded: "succeeded";
                        waiting: "waiting";
                    }>;
                    status: z.ZodString;
                    reason: z.ZodNullable<z.ZodString>;
                    last_error: z.ZodNullable<z.ZodString>;
                    since: z.ZodISODateTime;
                    blocked_ms: z.ZodNumber;
                    behind: z.ZodInt;
                    actions: z.ZodArray<z.ZodObject<{
                        command: z.ZodString;
                        href: z.ZodString;
                    }, z.core.$strip>>;
                }, z.core.$strip>>;
            }, z.core.$strip>;
        };
        readonly errors: readonly [];
    };
};

const schedulesContract: {
    readonly listSchedules: {
        readonly method: 'GET';
        readonly scope: 'read';
        readonly tag: 'schedules';
        readonly path: "/api/v1/schedules";
        readonly summary: "List schedules by name.";
        readonly query: z.ZodObject<{
            page_size: z.ZodDefault<z.ZodPreprocess<z.ZodInt, unknown>>;
            page_token: z.ZodOptional<z.ZodString>;
        }, z.core.$strict>;
        readonly response: {
            200: z.ZodObject<{
                schedules: z.ZodArray<z.ZodObject<{
                    description: z.ZodNullable<z.ZodString>;
                    queue: z.ZodString;
                    kind: z.ZodString;
                    input: z.ZodUnknown;
                    subject: z.ZodNullable<z.ZodString>;
                    priority: z.ZodNullable<z.ZodInt>;
                    key: z.ZodNullable<z.ZodString>;
                    target: z.ZodNullable<z.ZodString>;
                    expression: z.ZodString;
                    time_zone: z.ZodString;
                    enabled: z.ZodBoolean;
                    catch_up: z.ZodEnum<{
                        all: "all";
                        latest: "latest";
                        skip: "skip";
                    }>;
                    catch_up_max: z.ZodInt;
                    overlap: z.ZodEnum<{
                        allow: "allow";
                        cancel_old: "cancel_old";
                        queue_one: "queue_one";
                        skip: "skip";
                    }>;
                    jitter_ms: z.ZodInt;
                    id: z.ZodInt;
                    tenant: z.ZodString;
                    name: z.ZodString;
                    paused_at: z.ZodNullable<z.ZodISODateTime>;
                    paused_by: z.ZodNullable<z.ZodString>;
                    pause_note: z.ZodNullable<z.ZodString>;
                    next_slot: z.ZodISODateTime;
                    next_run_at: z.ZodISODateTime;
                    last_run_at: z.ZodNullable<z.ZodISODateTime>;
                    waiting_slot: z.ZodNullable<z.ZodISODateTime>;
                    declared: z.ZodNullable<z.ZodRecord<z.ZodString, z.ZodUnknown>>;
                    overrides: z.ZodArray<z.ZodString>;
                    created_at: z.ZodISODateTime;
                    updated_at: z.ZodISODateTime;
                    created_by: z.ZodNullable<z.ZodString>;
                    late_ms: z.ZodNumber;
                }, z.core.$strip>>;
                next_page_token: z.ZodNullable<z.ZodString>;
            }, z.core.$strip>;
        };
        readonly errors: readonly [];
    };
    readonly createSchedule: {
        readonly method: "POST";
        readonly path: "/api/v1/schedules";
        readonly scope: "operate";
        readonly tag: "schedules";
        readonly summary: "Create a schedule.";
        readonly body: z.ZodObject<{
            description: z.ZodOptional<z.ZodNullable<z.ZodString>>;
            queue: z.ZodOptional<z.ZodString>;
            input: z.ZodOptional<z.ZodUnknown>;
            subject: z.ZodOptional<z.ZodNullable<z.ZodString>>;
            priority: z.ZodOptional<z.ZodNullable<z.ZodInt>>;
            key: z.ZodOptional<z.ZodNullable<z.ZodString>>;
            target: z.ZodOptional<z.ZodNullable<z.ZodString>>;
            time_zone: z.ZodOptional<z.ZodString>;
            enabled: z.ZodOptional<z.ZodBoolean>;
            catch_up: z.ZodOptional<z.ZodEnum<{
                all: "all";
                latest: "latest";
                skip: "skip";
            }>>;
            catch_up_max: z.ZodOptional<z.ZodInt>;
            overlap: z.ZodOptional<z.ZodEnum<{
                allow: "allow";
                cancel_old: "cancel_old";
                queue_one: "queue_one";
                skip: "skip";
            }>>;
            jitter_ms: z.ZodOptional<z.ZodInt>;
            name: z.ZodString;
            kind: z.ZodString;
            expression: z.ZodString;
            reason: z.ZodOptional<z.ZodString>;
        }, z.core.$strict>;
        readonly response: {
            201: z.ZodObject<{
                description: z.ZodNullable<z.ZodString>;
                queue: z.ZodString;
                kind: z.ZodString;
                input: z.ZodUnknown;
                subject: z.ZodNullable<z.ZodString>;
                priority: z.ZodNullable<z.ZodInt>;
                key: z.ZodNullable<z.ZodString>;
                target: z.ZodNullable<z.ZodString>;
                expression: z.ZodString;
                time_zone: z.ZodString;
                enabled: z.ZodBoolean;
                catch_up: z.ZodEnum<{
                    all: "all";
                    latest: "latest";
                    skip: "skip";
                }>;
                catch_up_max: z.ZodInt;
                overlap: z.ZodEnum<{
                    allow: "allow";
                    cancel_old: "cancel_old";
                    queue_one: "queue_one";
                    skip: "skip";
                }>;
                jitter_ms: z.ZodInt;
                id: z.ZodInt;
                tenant: z.ZodString;
                name: z.ZodString;
                paused_at: z.ZodNullable<z.ZodISODateTime>;
                paused_by: z.ZodNullable<z.ZodString>;
                pause_note: z.ZodNullable<z.ZodString>;
                next_slot: z.ZodISODateTime;
                next_run_at: z.ZodISODateTime;
                last_run_at: z.ZodNullable<z.ZodISODateTime>;
                waiting_slot: z.ZodNullable<z.ZodISODateTime>;
                declared: z.ZodNullable<z.ZodRecord<z.ZodString, z.ZodUnknown>>;
                overrides: z.ZodArray<z.ZodString>;
                created_at: z.ZodISODateTime;
                updated_at: z.ZodISODateTime;
                created_by: z.ZodNullable<z.ZodString>;
                late_ms: z.ZodNumber;
            }, z.core.$strip>;
        };
        readonly errors: readonly ["schedule_exists"];
    };
    readonly getSchedule: {
        readonly method: 'GET';
        readonly scope: 'read';
        readonly tag: 'schedules';
        readonly path: "/api/v1/schedules/{name}";
        readonly summary: "Get a schedule.";
        readonly params: z.ZodObject<{
            name: z.ZodString;
        }, z.core.$strict>;
        readonly response: {
            200: z.ZodObject<{
                description: z.ZodNullable<z.ZodString>;
                queue: z.ZodString;
                kind: z.ZodString;
                input: z.ZodUnknown;
                subject: z.ZodNullable<z.ZodString>;
                priority: z.ZodNullable<z.ZodInt>;
                key: z.ZodNullable<z.ZodString>;
                target: z.ZodNullable<z.ZodString>;
                expression: z.ZodString;
                time_zone: z.ZodString;
                enabled: z.ZodBoolean;
                catch_up: z.ZodEnum<{
                    all: "all";
                    latest: "latest";
                    skip: "skip";
                }>;
                catch_up_max: z.ZodInt;
                overlap: z.ZodEnum<{
                    allow: "allow";
                    cancel_old: "cancel_old";
                    queue_one: "queue_one";
                    skip: "skip";
                }>;
                jitter_ms: z.ZodInt;
                id: z.ZodInt;
                tenant: z.ZodString;
                name: z.ZodString;
                paused_at: z.ZodNullable<z.ZodISODateTime>;
                paused_by: z.ZodNullable<z.ZodString>;
                pause_note: z.ZodNullable<z.ZodString>;
                next_slot: z.ZodISODateTime;
                next_run_at: z.ZodISODateTime;
                last_run_at: z.ZodNullable<z.ZodISODateTime>;
                waiting_slot: z.ZodNullable<z.ZodISODateTime>;
                declared: z.ZodNullable<z.ZodRecord<z.ZodString, z.ZodUnknown>>;
                overrides: z.ZodArray<z.ZodString>;
                created_at: z.ZodISODateTime;
                updated_at: z.ZodISODateTime;
                created_by: z.ZodNullable<z.ZodString>;
                late_ms: z.ZodNumber;
            }, z.core.$strip>;
        };
        readonly errors: readonly ["unknown_schedule"];
    };
    readonly updateSchedule: {
        readonly method: "PATCH";
        readonly path: "/api/v1/schedules/{name}";
        readonly scope: "operate";
        readonly tag: "schedules";
        readonly summary: "Change a schedule. Fields not given stay as they are; a new expression recomputes the next run.";
        readonly params: z.ZodObject<{
            name: z.ZodString;
        }, z.core.$strict>;
        readonly body: z.ZodObject<{
            description: z.ZodOptional<z.ZodNullable<z.ZodString>>;
            queue: z.ZodOptional<z.ZodString>;
            kind: z.ZodOptional<z.ZodString>;
            input: z.ZodOptional<z.ZodUnknown>;
            subject: z.ZodOptional<z.ZodNullable<z.ZodString>>;
            priority: z.ZodOptional<z.ZodNullable<z.ZodInt>>;
            key: z.ZodOptional<z.ZodNullable<z.ZodString>>;
            target: z.ZodOptional<z.ZodNullable<z.ZodString>>;
            expression: z.ZodOptional<z.ZodString>;
            time_zone: z.ZodOptional<z.ZodString>;
            enabled: z.ZodOptional<z.ZodBoolean>;
            catch_up: z.ZodOptional<z.ZodEnum<{
                all: "all";
                latest: "latest";
                skip: "skip";
            }>>;
            catch_up_max: z.ZodOptional<z.ZodInt>;
            overlap: z.ZodOptional<z.ZodEnum<{
                allow: "allow";
                cancel_old: "cancel_old";
                queue_one: "queue_one";
                skip: "skip";
            }>>;
            jitter_ms: z.ZodOptional<z.ZodInt>;
            name: z.ZodOptional<z.ZodString>;
            reason: z.ZodOptional<z.ZodString>;
        }, z.core.$strict>;
        readonly response: {
            200: z.ZodObject<{
                description: z.ZodNullable<z.ZodString>;
                queue: z.ZodString;
                kind: z.ZodString;
                input: z.ZodUnknown;
                subject: z.ZodNullable<z.ZodString>;
                priority: z.ZodNullable<z.ZodInt>;
                key: z.ZodNullable<z.ZodString>;
                target: z.ZodNullable<z.ZodString>;
                expression: z.ZodString;
                time_zone: z.ZodString;
                enabled: z.ZodBoolean;
                catch_up: z.ZodEnum<{
                    all: "all";
                    latest: "latest";
                    skip: "skip";
                }>;
                catch_up_max: z.ZodInt;
                overlap: z.ZodEnum<{
                    allow: "allow";
                    cancel_old: "cancel_old";
                    queue_one: "queue_one";
                    skip: "skip";
                }>;
                jitter_ms: z.ZodInt;
                id: z.ZodInt;
                tenant: z.ZodString;
                name: z.ZodString;
                paused_at: z.ZodNullable<z.ZodISODateTime>;
                paused_by: z.ZodNullable<z.ZodString>;
                pause_note: z.ZodNullable<z.ZodString>;
                next_slot: z.ZodISODateTime;
                next_run_at: z.ZodISODateTime;
                last_run_at: z.ZodNullable<z.ZodISODateTime>;
                waiting_slot: z.ZodNullable<z.ZodISODateTime>;
                declared: z.ZodNullable<z.ZodRecord<z.ZodString, z.ZodUnknown>>;
                overrides: z.ZodArray<z.ZodString>;
                created_at: z.ZodISODateTime;
                updated_at: z.ZodISODateTime;
                created_by: z.ZodNullable<z.ZodString>;
                late_ms: z.ZodNumber;
            }, z.core.$strip>;
        };
        readonly errors: readonly ["unknown_schedule", "schedule_exists", "schedule_declared", "conflict"];
    };
    readonly removeSchedule: {
        readonly method: "DELETE";
        readonly path: "/api/v1/schedules/{name}";
        readonly scope: "operate";
        readonly tag: "schedules";
        readonly summary: "Delete a schedule and its history. Its jobs stay.";
        readonly params: z.ZodObject<{
            name: z.ZodString;
        }, z.core.$strict>;
        readonly body: z.ZodOptional<z.ZodObject<{
            reason: z.ZodOptional<z.ZodString>;
        }, z.core.$strict>>;
        readonly response: {
            204: null;
        };
        readonly errors: readonly ["unknown_schedule"];
    };
    readonly resetSchedule: {
        readonly method: 'POST';
        readonly scope: 'operate';
        readonly tag: 'schedules';
        readonly params: z.ZodObject<{
            name: z.ZodString;
        }, z.core.$strict>;
        readonly body: z.ZodOptional<z.ZodObject<{
            reason: z.ZodOptional<z.ZodString>;
        }, z.core.$strict>>;
        readonly path: "/api/v1/schedules/{name}/reset";
        readonly summary: "Reset a schedule to the declaration of its program.";
        readonly response: {
            200: z.ZodObject<{
                description: z.ZodNullable<z.ZodString>;
                queue: z.ZodString;
                kind: z.ZodString;
                input: z.ZodUnknown;
                subject: z.ZodNullable<z.ZodString>;
                priority: z.ZodNullable<z.ZodInt>;
                key: z.ZodNullable<z.ZodString>;
                target: z.ZodNullable<z.ZodString>;
                expression: z.ZodString;
                time_zone: z.ZodString;
                enabled: z.ZodBoolean;
                catch_up: z.ZodEnum<{
                    all: "all";
                    latest: "latest";
                    skip: "skip";
                }>;
                catch_up_max: z.ZodInt;
                overlap: z.ZodEnum<{
                    allow: "allow";
                    cancel_old: "cancel_old";
                    queue_one: "queue_one";
                    skip: "skip";
                }>;
                jitter_ms: z.ZodInt;
                id: z.ZodInt;
                tenant: z.ZodString;
                name: z.ZodString;
                paused_at: z.ZodNullable<z.ZodISODateTime>;
                paused_by: z.ZodNullable<z.ZodString>;
                pause_note: z.ZodNullable<z.ZodString>;
                next_slot: z.ZodISODateTime;
                next_run_at: z.ZodISODateTime;
                last_run_at: z.ZodNullable<z.ZodISODateTime>;
                waiting_slot: z.ZodNullable<z.ZodISODateTime>;
                declared: z.ZodNullable<z.ZodRecord<z.ZodString, z.ZodUnknown>>;
                overrides: z.ZodArray<z.ZodString>;
                created_at: z.ZodISODateTime;
                updated_at: z.ZodISODateTime;
                created_by: z.ZodNullable<z.ZodString>;
                late_ms: z.ZodNumber;
            }, z.core.$strip>;
        };
        readonly errors: readonly ["unknown_schedule", "schedule_not_declared", "conflict"];
    };
    readonly pauseSchedule: {
        readonly method: 'POST';
        readonly scope: 'operate';
        readonly tag: 'schedules';
        readonly params: z.ZodObject<{
            name: z.ZodString;
        }, z.core.$strict>;
        readonly body: z.ZodOptional<z.ZodObject<{
            reason: z.ZodOptional<z.ZodString>;
        }, z.core.$strict>>;
        readonly errors: readonly ['unknown_schedule'];
        readonly path: "/api/v1/schedules/{name}/pause";
        readonly summary: "Pause a schedule until it is resumed. Operators see the reason.";
        readonly response: {
            200: z.ZodObject<{
                name: z.ZodString;
                changed: z.ZodBoolean;
            }, z.core.$strip>;
        };
    };
    readonly resumeSchedule: {
        readonly method: 'POST';
        readonly scope: 'operate';
        readonly tag: 'schedules';
        readonly params: z.ZodObject<{
            name: z.ZodString;
        }, z.core.$strict>;
        readonly body: z.ZodOptional<z.ZodObject<{
            reason: z.ZodOptional<z.ZodString>;
        }, z.core.$strict>>;
        readonly errors: readonly ['unknown_schedule'];
        readonly path: "/api/v1/schedules/{name}/resume";
        readonly summary: "Resume a schedule from its next slot on.";
        readonly response: {
            200: z.ZodObject<{
                name: z.ZodString;
                changed: z.ZodBoolean;
            }, z.core.$strip>;
        };
    };
    readonly runSchedule: {
        readonly method: 'POST';
        readonly scope: 'operate';
        readonly tag: 'schedules';
        readonly params: z.ZodObject<{
            name: z.ZodString;
        }, z.core.$strict>;
        readonly body: z.ZodOptional<z.ZodObject<{
            reason: z.ZodOptional<z.ZodString>;
        }, z.core.$strict>>;
        readonly errors: readonly ['unknown_schedule'];
        readonly path: "/api/v1/schedules/{name}/run";
        readonly summary: "Enqueue the job of a schedule now. The next slot does not change.";
        readonly response: {
            200: z.ZodObject<{
                job_id: z.ZodInt;
                deduplicated: z.ZodBoolean;
            }, z.core.$strip>;
        };
    };
    readonly previewSchedule: {
        readonly method: 'GET';
        readonly scope: 'read';
        readonly tag: 'schedules';
        readonly path: "/api/v1/schedules/{name}/preview";
        readonly summary: "Preview the next slots, without jitter and pauses.";
        readonly params: z.ZodObject<{
            name: z.ZodString;
        }, z.core.$strict>;
        readonly query: z.ZodObject<{
            count: z.ZodDefault<z.ZodPreprocess<z.ZodInt, unknown>>;
        }, z.core.$strict>;
        readonly response: {
            200: z.ZodObject<{
                slots: z.ZodArray<z.ZodISODateTime>;
            }, z.core.$strip>;
        };
        readonly errors: readonly ["unknown_schedule"];
    };
    readonly scheduleHistory: {
        readonly method: 'GET';
        readonly scope: 'read';
        readonly tag: 'schedules';
        readonly path: "/api/v1/schedules/{name}/history";
        readonly summary: "List the firings of a schedule, latest first.";
        readonly params: z.ZodObject<{
            name: z.ZodString;
        }, z.core.$strict>;
        readonly query: z.ZodObject<{
            page_size: z.ZodDefault<z.ZodPreprocess<z.ZodInt, unknown>>;
            page_token: z.ZodOptional<z.ZodString>;
        }, z.core.$strict>;
        readonly response: {
            200: z.ZodObject<{
                firings: z.ZodArray<z.ZodObject<{
                    id: z.ZodInt;
                    slot: z.ZodISODateTime;
                    last_slot: z.ZodISODateTime;
                    slots: z.ZodNullable<z.ZodInt>;
                    fired_at: z.ZodISODateTime;
                    outcome: z.ZodEnum<{
                        created: "created";
                        deduplicated: "deduplicated";
                        manual: "manual";
                        missed: "missed";
                        skipped: "skipped";
                        waiting: "waiting";
                    }>;
                    job_id: z.ZodNullable<z.ZodInt>;
                    note: z.ZodNullable<z.ZodString>;
                    actor: z.ZodNullable<z.ZodString>;
                }, z.core.$strip>>;
                next_page_token: z.ZodNullable<z.ZodString>;
            }, z.core.$strip>;
        };
        readonly errors: readonly ["unknown_schedule"];
    };
    readonly explainSchedule: {
        readonly method: 'GET';
        readonly scope: 'read';
        readonly tag: 'schedules';
        readonly path: "/api/v1/schedules/{name}/explain";
        readonly summary: "Explain why a schedule has not fired, or when it will.";
        readonly params: z.ZodObject<{
            name: z.ZodString;
        }, z.core.$strict>;
        readonly response: {
            200: z.ZodObject<{
                reasons: z.ZodArray<z.ZodObject<{
                    code: z.ZodString;
                    blocking: z.ZodBoolean;
                    sentence: z.ZodString;
                    data: z.ZodRecord<z.ZodString, z.ZodUnknown>;
                }, z.core.$strip>>;
            }, z.core.$strip>;
        };
        readonly errors: readonly ["unknown_schedule"];
    };
    readonly previewExpression: {
        readonly method: 'GET';
        readonly scope: 'read';
        readonly tag: 'schedules';
        readonly path: "/api/v1/schedule-preview";
        readonly summary: "Preview the slots of an expression without a schedule.";
        readonly query: z.ZodObject<{
            expression: z.ZodString;
            time_zone: z.ZodDefault<z.ZodString>;
            count: z.ZodDefault<z.ZodPreprocess<z.ZodInt, unknown>>;
        }, z.core.$strict>;
        readonly response: {
            200: z.ZodObject<{
                slots: z.ZodArray<z.ZodISODateTime>;
            }, z.core.$strip>;
        };
        readonly errors: readonly [];
    };
    readonly getMaintenance: {
        readonly method: 'GET';
        readonly scope: 'read';
        readonly tag: 'schedules';
        readonly path: "/api/v1/maintenance-window";
        readonly summary: "Get the open maintenance window of the tenant.";
        readonly response: {
            200: z.ZodObject<{
                open: z.ZodBoolean;
                since: z.ZodNullable<z.ZodISODateTime>;
                until: z.ZodNullable<z.ZodISODateTime>;
                paused_by: z.ZodNullable<z.ZodString>;
                note: z.ZodNullable<z.ZodString>;
            }, z.core.$strip>;
        };
        readonly errors: readonly [];
    };
    readonly openMaintenance: {
        readonly method: "PUT";
        readonly path: "/api/v1/maintenance-window";
        readonly scope: "operate";
        readonly tag: "schedules";
        readonly summary: "Open a maintenance window: no schedule of the tenant fires until it is closed or ends.";
        readonly body: z.ZodOptional<z.ZodObject<{
            until: z.ZodOptional<z.ZodISODateTime>;
            reason: z.ZodOptional<z.ZodString>;
        }, z.core.$strict>>;
        readonly response: {
            200: z.ZodObject<{
                open: z.ZodBoolean;
                since: z.ZodNullable<z.ZodISODateTime>;
                until: z.ZodNullable<z.ZodISODateTime>;
                paused_by: z.ZodNullable<z.ZodString>;
                note: z.ZodNullable<z.ZodString>;
            }, z.core.$strip>;
        };
        readonly errors: readonly [];
    };
    readonly closeMaintenance: {
        readonly method: "DELETE";
        readonly path: "/api/v1/maintenance-window";
        readonly scope: "operate";
        readonly tag: "schedules";
        readonly summary: "Close the maintenance window. Slots inside it are skipped.";
        readonly body: z.ZodOptional<z.ZodObject<{
            reason: z.ZodOptional<z.ZodString>;
        }, z.core.$strict>>;
        readonly response: {
            200: z.ZodObject<{
                changed: z.ZodBoolean;
            }, z.core.$strip>;
        };
        readonly errors: readonly [];
    };
};

const searchContract: {
    readonly searchJobs: {
        readonly method: 'GET';
        readonly scope: 'read';
        readonly tag: 'jobs';
        readonly path: "/api/v1/jobs/search";
        readonly summary: "Search jobs, newest first; failed and canceled ones by the time they ended.";
        readonly query: z.ZodObject<{
            q: z.ZodDefault<z.ZodString>;
            limit: z.ZodDefault<z.ZodPreprocess<z.ZodInt, unknown>>;
            page_token: z.ZodOptional<z.ZodString>;
            budget_ms: z.ZodDefault<z.ZodPreprocess<z.ZodInt, unknown>>;
        }, z.core.$strict>;
        readonly response: {
            200: z.ZodObject<{
                jobs: z.ZodArray<z.ZodObject<{
                    id: z.ZodInt;
                    queue: z.ZodString;
                    kind: z.ZodString;
                    state: z.ZodEnum<{
                        assigned: "assigned";
                        canceled: "canceled";
                        errored: "errored";
                        failed: "failed";
                        parked: "parked";
                        paused: "paused";
                        pending: "pending";
                        queued: "queued";
                        retrying: "retrying";
                        running: "running";
                        scheduled: "scheduled";
                        succeeded: "succeeded";
                        waiting: "waiting";
                    }>;
                    status: z.ZodString;
                    priority: z.ZodInt;
                    attempt: z.ZodInt;
                    max_retries: z.ZodInt;
                    key: z.ZodNullable<z.ZodString>;
                    target: z.ZodNullable<z.ZodString>;
                    lease_owner: z.ZodNullable<z.ZodString>;
                    created_at: z.ZodISODateTime;
                    visible_at: z.ZodISODateTime;
                    finished_at: z.ZodNullable<z.ZodISODateTime>;
                    reason: z.ZodNullable<z.ZodString>;
                    last_error: z.ZodNullable<z.ZodString>;
                    input: z.ZodUnknown;
                    worker: z.ZodNullable<z.ZodString>;
                    started_at: z.ZodNullable<z.ZodISODateTime>;
                    error_class: z.ZodNullable<z.ZodString>;
                    error_fingerprint: z.ZodNullable<z.ZodString>;
                }, z.core.$strip>>;
                next_page_token: z.ZodNullable<z.ZodString>;
                examined: z.ZodObject<{
                    oldest_at: z.ZodNullable<z.ZodISODateTime>;
                    jobs: z.ZodInt;
                    complete: z.ZodBoolean;
                }, z.core.$strip>;
                keywords: z.ZodArray<z.ZodObject<{
                    keyword: z.ZodString;
                    fields: z.ZodArray<z.ZodString>;
                }, z.core.$strip>>;
            }, z.core.$strip>;
        };
        readonly errors: readonly ["invalid_search"];
    };
    readonly searchFacets: {
        readonly method: 'GET';
        readonly scope: 'read';
        readonly tag: 'jobs';
        readonly path: "/api/v1/jobs/search/facets";
        readonly summary: "Count the jobs of a search by state, queue, kind, error and worker version.";
        readonly query: z.ZodObject<{
            q: z.ZodDefault<z.ZodString>;
            budget_ms: z.ZodDefault<z.ZodPreprocess<z.ZodInt, unknown>>;
        }, z.core.$strict>;
        readonly response: {
            200: z.ZodObject<{
                state: z.ZodObject<{
                    values: z.ZodArray<z.ZodObject<{
                        value: z.ZodString;
                        label: z.ZodString;
                        count: z.ZodInt;
                    }, z.core.$strip>>;
                    counted: z.ZodInt;
                    complete: z.ZodBoolean;
                }, z.core.$strip>;
                queue: z.ZodObject<{
                    values: z.ZodArray<z.ZodObject<{
                        value: z.ZodString;
                        label: z.ZodString;
                        count: z.ZodInt;
                    }, z.core.$strip>>;
                    counted: z.ZodInt;
                    complete: z.ZodBoolean;
                }, z.core.$strip>;
                kind: z.ZodObject<{
                    values: z.ZodArray<z.ZodObject<{
                        value: z.ZodString;
                        label: z.ZodString;
                        count: z.ZodInt;
                    }, z.core.$strip>>;
                    counted: z.ZodInt;
                    complete: z.ZodBoolean;
                }, z.core.$strip>;
                error: z.ZodObject<{
                    values: z.ZodArray<z.ZodObject<{
                        value: z.ZodString;
                        label: z.ZodString;
                        count: z.ZodInt;
                    }, z.core.$strip>>;
                    counted: z.ZodInt;
                    complete: z.ZodBoolean;
                }, z.core.$strip>;
                version: z.ZodObject<{
                    values: z.ZodArray<z.ZodObject<{
                        value: z.ZodString;
                        label: z.ZodString;
                        count: z.ZodInt;
                    }, z.core.$strip>>;
                    counted: z.ZodInt;
                    complete: z.ZodBoolean;
                }, z.core.$strip>;
            }, z.core.$strip>;
        };
        readonly errors: readonly ["invalid_search"];
    };
    readonly suggestValues: {
        readonly method: 'GET';
        readonly scope: 'read';
        readonly tag: 'jobs';
        readonly path: "/api/v1/jobs/search/suggest";
        readonly summary: "Values of a field of the search that begin with a text.";
        readonly query: z.ZodObject<{
            field: z.ZodEnum<{
                kind: "kind";
                queue: "queue";
                version: "version";
                worker: "worker";
            }>;
            prefix: z.ZodDefault<z.ZodString>;
        }, z.core.$strict>;
        readonly response: {
            200: z.ZodObject<{
                values: z.ZodArray<z.ZodString>;
            }, z.core.$strip>;
        };
        readonly errors: readonly [];
    };
    readonly exportJobs: {
        readonly method: 'GET';
        readonly scope: 'read';
        readonly tag: 'jobs';
        readonly path: "/api/v1/jobs/search/export";
        readonly summary: "Export all jobs of a search as one file.";
        readonly query: z.ZodObject<{
            q: z.ZodDefault<z.ZodString>;
            format: z.ZodDefault<z.ZodEnum<{
                csv: "csv";
                ndjson: "ndjson";
            }>>;
        }, z.core.$strict>;
        readonly media: readonly ["text/csv", "application/x-ndjson"];
        readonly response: {
            200: z.ZodString;
        };
        readonly errors: readonly ["invalid_search"];
    };
};

const settingsContract: {
    readonly listSettings: {
        readonly method: "GET";
        readonly path: "/api/v1/settings";
        readonly scope: "read";
        readonly tag: "settings";
        readonly summary: "List settings. They apply to all tenants and take effect without a restart.";
        readonly response: {
            200: z.ZodObject<{
                settings: z.ZodArray<z.ZodObject<{
                    name: z.ZodString;
                    value: z.ZodNumber;
                    default: z.ZodNumber;
                    min: z.ZodNumber;
                    max: z.ZodNumber;
                    of: z.ZodString;
                    origin: z.ZodEnum<{
                        default: "default";
                        set: "set";
                    }>;
                    updated_at: z.ZodNullable<z.ZodISODateTime>;
                    updated_by: z.ZodNullable<z.ZodString>;
                }, z.core.$strip>>;
            }, z.core.$strip>;
        };
        readonly errors: readonly [];
    };
    readonly getSetting: {
        readonly method: "GET";
        readonly path: "/api/v1/settings/{name}";
        readonly scope: "read";
        readonly tag: "settings";
        readonly summary: "Get a setting.";
        readonly params: z.ZodObject<{
            name: z.ZodString;
        }, z.core.$strict>;
        readonly response: {
            200: z.ZodObject<{
                name: z.ZodString;
                value: z.ZodNumber;
                default: z.ZodNumber;
                min: z.ZodNumber;
                max: z.ZodNumber;
                of: z.ZodString;
                origin: z.ZodEnum<{
                    default: "default";
                    set: "set";
                }>;
                updated_at: z.ZodNullable<z.ZodISODateTime>;
                updated_by: z.ZodNullable<z.ZodString>;
            }, z.core.$strip>;
        };
        readonly errors: readonly ["unknown_setting"];
    };
    readonly setSetting: {
        readonly method: "PUT";
        readonly path: "/api/v1/settings/{name}";
        readonly scope: "admin";
        readonly everyTenant: true;
        readonly tag: "settings";
        readonly summary: "Change a setting for all tenants. Takes effect at once.";
        readonly params: z.ZodObject<{
            name: z.ZodString;
        }, z.core.$strict>;
        readonly body: z.ZodObject<{
            value: z.ZodNumber;
            reason: z.ZodOptional<z.ZodString>;
        }, z.core.$strict>;
        readonly response: {
            200: z.ZodObject<{
                name: z.ZodString;
                value: z.ZodNumber;
                default: z.ZodNumber;
                min: z.ZodNumber;
                max: z.ZodNumber;
                of: z.ZodString;
                origin: z.ZodEnum<{
                    default: "default";
                    set: "set";
                }>;
                updated_at: z.ZodNullable<z.ZodISODateTime>;
                updated_by: z.ZodNullable<z.ZodString>;
            }, z.core.$strip>;
        };
        readonly errors: readonly ["unknown_setting", "setting_overridden"];
    };
    readonly resetSetting: {
        readonly method: "DELETE";
        readonly path: "/api/v1/settings/{name}";
        readonly scope: "admin";
        readonly everyTenant: true;
        readonly tag: "settings";
        readonly summary: "Reset a setting to its default.";
        readonly params: z.ZodObject<{
            name: z.ZodString;
        }, z.core.$strict>;
        readonly body: z.ZodOptional<z.ZodObject<{
            reason: z.ZodOptional<z.ZodString>;
        }, z.core.$strict>>;
        readonly response: {
            200: z.ZodObject<{
                name: z.ZodString;
                value: z.ZodNumber;
                default: z.ZodNumber;
                min: z.ZodNumber;
                max: z.ZodNumber;
                of: z.ZodString;
                origin: z.ZodEnum<{
                    default: "default";
                    set: "set";
                }>;
                updated_at: z.ZodNullable<z.ZodISODateTime>;
                updated_by: z.ZodNullable<z.ZodString>;
            }, z.core.$strip>;
        };
        readonly errors: readonly ["unknown_setting", "setting_overridden"];
    };
};

const statsContract: {
    readonly queueMetrics: {
        readonly method: "GET";
        readonly path: "/api/v1/metrics/queues";
        readonly scope: "read";
        readonly tag: "queues";
        readonly summary: "Depth, rates, priorities and wait times of each queue over the last 15 minutes, hour and day.";
        readonly query: z.ZodObject<{
            queue: z.ZodOptional<z.ZodString>;
        }, z.core.$strict>;
        readonly response: {
            200: z.ZodObject<{
                queues: z.ZodArray<z.ZodObject<{
                    queue: z.ZodString;
                    tenant: z.ZodString;
                    depth: z.ZodNumber;
                    priorities: z.ZodRecord<z.ZodString, z.ZodNumber>;
                    oldest_ready_at: z.ZodNullable<z.ZodISODateTime>;
                    windows: z.ZodRecord<z.ZodString, z.ZodObject<{
                        enqueued: z.ZodNumber;
                        started: z.ZodNumber;
                        succeeded: z.ZodNumber;
                        failed: z.ZodNumber;
                        canceled: z.ZodNumber;
                        ended_after_failures: z.ZodNumber;
                        succeeded_after_failures: z.ZodNumber;
                        attempts_failed: z.ZodNumber;
                        attempts_lost: z.ZodNumber;
                        failed_rate: z.ZodNullable<z.ZodNumber>;
                        retry_success_rate: z.ZodNullable<z.ZodNumber>;
                        average_wait_ms: z.ZodNullable<z.ZodNumber>;
                        average_run_ms: z.ZodNullable<z.ZodNumber>;
                    }, z.core.$strip>>;
                }, z.core.$strip>>;
                counted_max: z.ZodInt;
            }, z.core.$strip>;
        };
        readonly errors: readonly ["unknown_queue"];
    };
};

const subjectsContract: {
    readonly listSubjects: {
        readonly method: "GET";
        readonly path: "/api/v1/subjects";
        readonly scope: "read";
        readonly tag: "subjects";
        readonly summary: "List subjects with their last success and when they become stale.";
        readonly query: z.ZodObject<{
            page_size: z.ZodDefault<z.ZodPreprocess<z.ZodInt, unknown>>;
            page_token: z.ZodOptional<z.ZodString>;
            queue: z.ZodOptional<z.ZodString>;
            name: z.ZodOptional<z.ZodString>;
            stale: z.ZodDefault<z.ZodEnum<{
                false: "false";
                true: "true";
            }>>;
        }, z.core.$strict>;
        readonly response: {
            200: z.ZodObject<{
                subjects: z.ZodArray<z.ZodObject<{
                    id: z.ZodInt;
                    queue: z.ZodString;
                    tenant: z.ZodString;
                    name: z.ZodString;
                    kind: z.ZodString;
                    input: z.ZodUnknown;
                    priority: z.ZodInt;
                    last_success_at: z.ZodNullable<z.ZodISODateTime>;
                    last_job_id: z.ZodNullable<z.ZodInt>;
                    stale_after_ms: z.ZodNullable<z.ZodNumber>;
                    enabled: z.ZodBoolean;
                    added_at: z.ZodISODateTime;
                    added_by: z.ZodNullable<z.ZodString>;
                    enqueued_at: z.ZodNullable<z.ZodISODateTime>;
                    stale_at: z.ZodISODateTime;
                }, z.core.$strip>>;
                next_page_token: z.ZodNullable<z.ZodString>;
            }, z.core.$strip>;
        };
        readonly errors: readonly ["unknown_queue"];
    };
    readonly addSubject: {
        readonly method: "POST";
        readonly path: "/api/v1/subjects";
        readonly scope: "operate";
        readonly tag: "subjects";
        readonly summary: "Add a subject, or change the job that is enqueued for it.";
        readonly body: z.ZodObject<{
            queue: z.ZodString;
            name: z.ZodString;
            kind: z.ZodString;
            input: z.ZodOptional<z.ZodUnknown>;
            priority: z.ZodDefault<z.ZodInt>;
            stale_after_ms: z.ZodOptional<z.ZodNullable<z.ZodInt>>;
            reason: z.ZodOptional<z.ZodString>;
        }, z.core.$strict>;
        readonly response: {
            201: z.ZodObject<{
                id: z.ZodInt;
                queue: z.ZodString;
                tenant: z.ZodString;
                name: z.ZodString;
                kind: z.ZodString;
                input: z.ZodUnknown;
                priority: z.ZodInt;
                last_success_at: z.ZodNullable<z.ZodISODateTime>;
                last_job_id: z.ZodNullable<z.ZodInt>;
                stale_after_ms: z.ZodNullable<z.ZodNumber>;
                enabled: z.ZodBoolean;
                added_at: z.ZodISODateTime;
                added_by: z.ZodNullable<z.ZodString>;
                enqueued_at: z.ZodNullable<z.ZodISODateTime>;
                stale_at: z.ZodISODateTime;
            }, z.core.$strip>;
        };
        readonly errors: readonly ["unknown_queue"];
    };
    readonly getSubject: {
        readonly method: "GET";
        readonly path: "/api/v1/subjects/{id}";
        readonly scope: "read";
        readonly tag: "subjects";
        readonly summary: "Get a subject.";
        readonly params: z.ZodObject<{
            id: z.ZodPreprocess<z.ZodInt, unknown>;
        }, z.core.$strict>;
        readonly response: {
            200: z.ZodObject<{
                id: z.ZodInt;
                queue: z.ZodString;
                tenant: z.ZodString;
                name: z.ZodString;
                kind: z.ZodString;
                input: z.ZodUnknown;
                priority: z.ZodInt;
                last_success_at: z.ZodNullable<z.ZodISODateTime>;
                last_job_id: z.ZodNullable<z.ZodInt>;
                stale_after_ms: z.ZodNullable<z.ZodNumber>;
                enabled: z.ZodBoolean;
                added_at: z.ZodISODateTime;
                added_by: z.ZodNullable<z.ZodString>;
                enqueued_at: z.ZodNullable<z.ZodISODateTime>;
                stale_at: z.ZodISODateTime;
            }, z.core.$strip>;
        };
        readonly errors: readonly ["unknown_subject"];
    };
    readonly setSubject: {
        readonly method: "PATCH";
        readonly path: "/api/v1/subjects/{id}";
        readonly scope: "operate";
        readonly tag: "subjects";
        readonly summary: "Change when a subject becomes stale, or disable it.";
        readonly params: z.ZodObject<{
            id: z.ZodPreprocess<z.ZodInt, unknown>;
        }, z.core.$strict>;
        readonly body: z.ZodObject<{
            stale_after_ms: z.ZodOptional<z.ZodNullable<z.ZodInt>>;
            enabled: z.ZodOptional<z.ZodBoolean>;
            reason: z.ZodOptional<z.ZodString>;
        }, z.core.$strict>;
        readonly response: {
            200: z.ZodObject<{
                id: z.ZodInt;
                queue: z.ZodString;
                tenant: z.ZodString;
                name: z.ZodString;
                kind: z.ZodString;
                input: z.ZodUnknown;
                priority: z.ZodInt;
                last_success_at: z.ZodNullable<z.ZodISODateTime>;
                last_job_id: z.ZodNullable<z.ZodInt>;
                stale_after_ms: z.ZodNullable<z.ZodNumber>;
                enabled: z.ZodBoolean;
                added_at: z.ZodISODateTime;
                added_by: z.ZodNullable<z.ZodString>;
                enqueued_at: z.ZodNullable<z.ZodISODateTime>;
                stale_at: z.ZodISODateTime;
            }, z.core.$strip>;
        };
        readonly errors: readonly ["unknown_subject"];
    };
    readonly removeSubject: {
        readonly method: "DELETE";
        readonly path: "/api/v1/subjects/{id}";
        readonly scope: "operate";
        readonly tag: "subjects";
        readonly summary: "Delete a subject. Its next success adds it again.";
        readonly params: z.ZodObject<{
            id: z.ZodPreprocess<z.ZodInt, unknown>;
        }, z.core.$strict>;
        readonly body: z.ZodOptional<z.ZodObject<{
            reason: z.ZodOptional<z.ZodString>;
        }, z.core.$strict>>;
        readonly response: {
            204: null;
        };
        readonly errors: readonly ["unknown_subject"];
    };
};

const tenantsContract: {
    readonly listTenants: {
        readonly method: "GET";
        readonly path: "/api/v1/tenants";
        readonly scope: "admin";
        readonly everyTenant: true;
        readonly tag: "tenants";
        readonly summary: "List tenants that have queues or limits.";
        readonly query: z.ZodObject<{
            page_size: z.ZodDefault<z.ZodPreprocess<z.ZodInt, unknown>>;
            page_token: z.ZodOptional<z.ZodString>;
        }, z.core.$strict>;
        readonly response: {
            200: z.ZodObject<{
                tenants: z.ZodArray<z.ZodObject<{
                    max_running: z.ZodNullable<z.ZodInt>;
                    max_live_jobs: z.ZodNullable<z.ZodInt>;
                    enqueues_per_second: z.ZodNullable<z.ZodInt>;
                    payload_bytes_max: z.ZodNullable<z.ZodInt>;
                    name: z.ZodString;
                    updated_at: z.ZodNullable<z.ZodISODateTime>;
                }, z.core.$strip>>;
                next_page_token: z.ZodNullable<z.ZodString>;
            }, z.core.$strip>;
        };
        readonly errors: readonly [];
    };
    readonly getTenant: {
        readonly method: "GET";
        readonly path: "/api/v1/tenant";
        readonly scope: "read";
        readonly tag: "tenants";
        readonly summary: "Get the tenant of this key and its limits.";
        readonly response: {
            200: z.ZodObject<{
                max_running: z.ZodNullable<z.ZodInt>;
                max_live_jobs: z.ZodNullable<z.ZodInt>;
                enqueues_per_second: z.ZodNullable<z.ZodInt>;
                payload_bytes_max: z.ZodNullable<z.ZodInt>;
                name: z.ZodString;
                updated_at: z.ZodNullable<z.ZodISODateTime>;
            }, z.core.$strip>;
        };
        readonly errors: readonly [];
    };
    readonly setTenantLimits: {
        readonly method: "PATCH";
        readonly path: "/api/v1/tenants/{name}";
        readonly scope: "admin";
        readonly everyTenant: true;
        readonly tag: "tenants";
        readonly summary: "Set limits of a tenant. Null removes a limit; limits not given stay as they are.";
        readonly params: z.ZodObject<{
            name: z.ZodString;
        }, z.core.$strict>;
        readonly body: z.ZodObject<{
            max_running: z.ZodOptional<z.ZodNullable<z.ZodInt>>;
            max_live_jobs: z.ZodOptional<z.ZodNullable<z.ZodInt>>;
            enqueues_per_second: z.ZodOptional<z.ZodNullable<z.ZodInt>>;
            payload_bytes_max: z.ZodOptional<z.ZodNullable<z.ZodInt>>;
            reason: z.ZodOptional<z.ZodString>;
        }, z.core.$strict>;
        readonly response: {
            200: z.ZodObject<{
                max_running: z.ZodNullable<z.ZodInt>;
                max_live_jobs: z.ZodNullable<z.ZodInt>;
                enqueues_per_second: z.ZodNullable<z.ZodInt>;
                payload_bytes_max: z.ZodNullable<z.ZodInt>;
                name: z.ZodString;
                updated_at: z.ZodNullable<z.ZodISODateTime>;
            }, z.core.$strip>;
        };
        readonly errors: readonly [];
    };
};

const upkeepContract: {
    readonly listChores: {
        readonly method: "GET";
        readonly path: "/api/v1/upkeep";
        readonly scope: "read";
        readonly tag: "upkeep";
        readonly summary: "List background chores with interval, last run and result.";
        readonly response: {
            200: z.ZodObject<{
                chores: z.ZodArray<z.ZodObject<{
                    name: z.ZodString;
                    of: z.ZodString;
                    every_ms: z.ZodNumber;
                    last_run_at: z.ZodNullable<z.ZodISODateTime>;
                    next_due_at: z.ZodNullable<z.ZodISODateTime>;
                    duration_ms: z.ZodNullable<z.ZodNumber>;
                    rows: z.ZodNullable<z.ZodNumber>;
                    runs: z.ZodNumber;
                    rows_total: z.ZodNumber;
                    last_change_at: z.ZodNullable<z.ZodISODateTime>;
                    failures: z.ZodNumber;
                    error: z.ZodNullable<z.ZodString>;
                    failed_at: z.ZodNullable<z.ZodISODateTime>;
                    node: z.ZodNullable<z.ZodString>;
                }, z.core.$strip>>;
            }, z.core.$strip>;
        };
        readonly errors: readonly [];
    };
    readonly runChore: {
        readonly method: "POST";
        readonly path: "/api/v1/upkeep/{name}/run";
        readonly scope: "admin";
        readonly everyTenant: true;
        readonly tag: "upkeep";
        readonly summary: "Run a chore once, now.";
        readonly params: z.ZodObject<{
            name: z.ZodString;
        }, z.core.$strict>;
        readonly body: z.ZodOptional<z.ZodObject<{
            reason: z.ZodOptional<z.ZodString>;
        }, z.core.$strict>>;
        readonly response: {
            200: z.ZodObject<{
                name: z.ZodString;
                rows: z.ZodNumber;
                duration_ms: z.ZodNumber;
                more: z.ZodBoolean;
            }, z.core.$strip>;
        };
        readonly errors: readonly ["unknown_chore"];
    };
};

const webhooksContract: {
    readonly listWebhooks: {
        readonly method: "GET";
        readonly path: "/api/v1/webhooks";
        readonly scope: "admin";
        readonly tag: "webhooks";
        readonly summary: "List webhooks of the tenant, without their secrets.";
        readonly query: z.ZodObject<{
            page_size: z.ZodDefault<z.ZodPreprocess<z.ZodInt, unknown>>;
            page_token: z.ZodOptional<z.ZodString>;
        }, z.core.$strict>;
        readonly response: {
            200: z.ZodObject<{
                webhooks: z.ZodArray<z.ZodObject<{
                    id: z.ZodInt;
                    tenant: z.ZodString;
                    name: z.ZodString;
                    url: z.ZodString;
                    rules: z.ZodNullable<z.ZodArray<z.ZodString>>;
                    enabled: z.ZodBoolean;
                    created_at: z.ZodISODateTime;
                    created_by: z.ZodNullable<z.ZodString>;
                }, z.core.$strip>>;
                next_page_token: z.ZodNullable<z.ZodString>;
            }, z.core.$strip>;
        };
        readonly errors: readonly [];
    };
    readonly addWebhook: {
        readonly method: "POST";
        readonly path: "/api/v1/webhooks";
        readonly scope: "admin";
        readonly tag: "webhooks";
        readonly summary: "Add a webhook for alerts.";
        readonly body: z.ZodObject<{
            name: z.ZodString;
            url: z.ZodString;
            secret: z.ZodOptional<z.ZodString>;
            rules: z.ZodOptional<z.ZodArray<z.ZodEnum<{
                blocked_target: "blocked_target";
                depth: "depth";
                failed_rate: "failed_rate";
                leases_lost: "leases_lost";
                no_worker: "no_worker";
                old_snapshot: "old_snapshot";
                oldest_ready: "oldest_ready";
                running_long: "running_long";
                schedule_late: "schedule_late";
            }>>>;
            every_tenant: z.ZodOptional<z.ZodBoolean>;
            reason: z.ZodOptional<z.ZodString>;
        }, z.core.$strict>;
        readonly response: {
            201: z.ZodObject<{
                id: z.ZodInt;
                secret: z.ZodString;
            }, z.core.$strip>;
        };
        readonly errors: readonly ["webhook_refused", "webhook_name_taken", "limit_exceeded"];
    };
    readonly getWebhook: {
        readonly method: "GET";
        readonly path: "/api/v1/webhooks/{id}";
        readonly scope: "admin";
        readonly tag: "webhooks";
        readonly summary: "Get a webhook.";
        readonly params: z.ZodObject<{
            id: z.ZodPreprocess<z.ZodInt, unknown>;
        }, z.core.$strict>;
        readonly response: {
            200: z.ZodObject<{
                id: z.ZodInt;
                tenant: z.ZodString;
                name: z.ZodString;
                url: z.ZodString;
                rules: z.ZodNullable<z.ZodArray<z.ZodString>>;
                enabled: z.ZodBoolean;
                created_at: z.ZodISODateTime;
                created_by: z.ZodNullable<z.ZodString>;
            }, z.core.$strip>;
        };
        readonly errors: readonly ["unknown_webhook"];
    };
    readonly enableWebhook: {
        readonly method: "PATCH";
        readonly path: "/api/v1/webhooks/{id}";
        readonly scope: "admin";
        readonly tag: "webhooks";
        readonly summary: "Enable or disable a webhook. Disabling drops deliveries that wait.";
        readonly params: z.ZodObject<{
            id: z.ZodPreprocess<z.ZodInt, unknown>;
        }, z.core.$strict>;
        readonly body: z.ZodObject<{
            enabled: z.ZodBoolean;
            reason: z.ZodOptional<z.ZodString>;
        }, z.core.$strict>;
        readonly response: {
            200: z.ZodObject<{
                id: z.ZodInt;
                tenant: z.ZodString;
                name: z.ZodString;
                url: z.ZodString;
                rules: z.ZodNullable<z.ZodArray<z.ZodString>>;
                enabled: z.ZodBoolean;
                created_at: z.ZodISODateTime;
                created_by: z.ZodNullable<z.ZodString>;
            }, z.core.$strip>;
        };
        readonly errors: readonly ["unknown_webhook"];
    };
    readonly removeWebhook: {
        readonly method: "DELETE";
        readonly path: "/api/v1/webhooks/{id}";
        readonly scope: "admin";
        readonly tag: "webhooks";
        readonly summary: "Delete a webhook.";
        readonly params: z.ZodObject<{
            id: z.ZodPreprocess<z.ZodInt, unknown>;
        }, z.core.$strict>;
        readonly body: z.ZodOptional<z.ZodObject<{
            reason: z.ZodOptional<z.ZodString>;
        }, z.core.$strict>>;
        readonly response: {
            200: z.ZodObject<{
                id: z.ZodInt;
                removed: z.ZodLiteral<true>;
            }, z.core.$strip>;
        };
        readonly errors: readonly ["unknown_webhook"];
    };
    readonly testWebhook: {
        readonly method: "POST";
        readonly path: "/api/v1/webhooks/{id}/test";
        readonly scope: "admin";
        readonly tag: "webhooks";
        readonly summary: "Send a test message now.";
        readonly params: z.ZodObject<{
            id: z.ZodPreprocess<z.ZodInt, unknown>;
        }, z.core.$strict>;
        readonly response: {
            200: z.ZodObject<{
                arrived: z.ZodBoolean;
                status: z.ZodNullable<z.ZodInt>;
                error: z.ZodNullable<z.ZodString>;
            }, z.core.$strip>;
        };
        readonly errors: readonly ["unknown_webhook"];
    };
    readonly listDeliveries: {
        readonly method: "GET";
        readonly path: "/api/v1/webhooks/{id}/deliveries";
        readonly scope: "admin";
        readonly tag: "webhooks";
        readonly summary: "List deliveries of a webhook, newest first.";
        readonly params: z.ZodObject<{
            id: z.ZodPreprocess<z.ZodInt, unknown>;
        }, z.core.$strict>;
        readonly query: z.ZodObject<{
            page_size: z.ZodDefault<z.ZodPreprocess<z.ZodInt, unknown>>;
            page_token: z.ZodOptional<z.ZodString>;
        }, z.core.$strict>;
        readonly response: {
            200: z.ZodObject<{
                deliveries: z.ZodArray<z.ZodObject<{
                    id: z.ZodInt;
                    webhook_id: z.ZodInt;
                    alert_id: z.ZodInt;
                    event_id: z.ZodInt;
                    type: z.ZodEnum<{
                        cleared: "cleared";
                        firing: "firing";
                    }>;
                    state: z.ZodEnum<{
                        delivered: "delivered";
                        dropped: "dropped";
                        failed: "failed";
                        waiting: "waiting";
                    }>;
                    attempts: z.ZodInt;
                    created_at: z.ZodISODateTime;
                    next_at: z.ZodISODateTime;
                    ended_at: z.ZodNullable<z.ZodISODateTime>;
                    status: z.ZodNullable<z.ZodInt>;
                    error: z.ZodNullable<z.ZodString>;
                }, z.core.$strip>>;
                next_page_token: z.ZodNullable<z.ZodString>;
            }, z.core.$strip>;
        };
        readonly errors: readonly ["unknown_webhook"];
    };
};

const workContract: {
    readonly workTerms: {
        readonly method: 'POST';
        readonly scope: 'work';
        readonly tag: 'work';
        readonly errors: readonly [];
        readonly path: "/api/v1/work/terms";
        readonly summary: "Get lease, heartbeat interval and drain time for a worker of these queues.";
        readonly body: z.ZodObject<{
            queues: z.ZodArray<z.ZodString>;
            lease_ms: z.ZodOptional<z.ZodInt>;
        }, z.core.$strict>;
        readonly response: {
            200: z.ZodObject<{
                lease_ms: z.ZodInt;
                heartbeat_ms: z.ZodInt;
                grace_ms: z.ZodInt;
            }, z.core.$strip>;
        };
        readonly unsafe: false;
    };
    readonly declareKinds: {
        readonly method: 'POST';
        readonly scope: 'work';
        readonly tag: 'work';
        readonly errors: readonly [];
        readonly path: "/api/v1/work/kinds";
        readonly summary: "Declare kinds of jobs. Their values apply to every job that does not give its own.";
        readonly body: z.ZodObject<{
            kinds: z.ZodArray<z.ZodObject<{
                max_retries: z.ZodOptional<z.ZodInt>;
                timeout_ms: z.ZodOptional<z.ZodInt>;
                priority: z.ZodOptional<z.ZodInt>;
                key: z.ZodOptional<z.ZodString>;
                target: z.ZodOptional<z.ZodString>;
                search: z.ZodOptional<z.ZodArray<z.ZodString>>;
                kind: z.ZodString;
                queue: z.ZodString;
                by_program: z.ZodOptional<z.ZodArray<z.ZodEnum<{
                    key: "key";
                    target: "target";
                }>>>;
            }, z.core.$strict>>;
        }, z.core.$strict>;
        readonly response: {
            200: z.ZodObject<{
                changed: z.ZodInt;
            }, z.core.$strip>;
        };
    };
    readonly openLease: {
        readonly method: 'POST';
        readonly scope: 'work';
        readonly tag: 'work';
        readonly errors: readonly [];
        readonly rank: "first";
        readonly path: "/api/v1/work/leases";
        readonly summary: "Open a worker's lease. All its claims carry it, and one renewal extends them all.";
        readonly body: z.ZodObject<{
            worker: z.ZodString;
            lease_ms: z.ZodInt;
        }, z.core.$strict>;
        readonly response: {
            201: z.ZodObject<{
                lease: z.ZodInt;
                expires_at: z.ZodISODateTime;
            }, z.core.$strip>;
        };
    };
    readonly claimJobs: {
        readonly method: 'POST';
        readonly scope: 'work';
        readonly tag: 'work';
        readonly path: "/api/v1/work/claim";
        readonly summary: "Claim up to `limit` jobs. With `wait_ms` it is a long poll.";
        readonly body: z.ZodObject<{
            worker: z.ZodString;
            queues: z.ZodArray<z.ZodString>;
            lease: z.ZodOptional<z.ZodInt>;
            lease_ms: z.ZodOptional<z.ZodInt>;
            limit: z.ZodDefault<z.ZodInt>;
            start_now: z.ZodOptional<z.ZodInt>;
            eager: z.ZodOptional<z.ZodBoolean>;
            wait_ms: z.ZodDefault<z.ZodInt>;
        }, z.core.$strict>;
        readonly response: {
            200: z.ZodObject<{
                jobs: z.ZodArray<z.ZodObject<{
                    job_id: z.ZodInt;
                    attempt: z.ZodInt;
                    lease: z.ZodInt;
                    expires_at: z.ZodNullable<z.ZodISODateTime>;
                    queue: z.ZodString;
                    queue_id: z.ZodInt;
                    kind: z.ZodString;
                    input: z.ZodUnknown;
                    key: z.ZodNullable<z.ZodString>;
                    target: z.ZodNullable<z.ZodString>;
                    subject: z.ZodNullable<z.ZodString>;
                    created_at: z.ZodISODateTime;
                    timeout_ms: z.ZodNullable<z.ZodInt>;
                    token_limit: z.ZodNullable<z.ZodInt>;
                    item_goal: z.ZodNullable<z.ZodInt>;
                    trace: z.ZodNullable<z.ZodString>;
                    priority: z.ZodInt;
                    failures: z.ZodInt;
                    losses: z.ZodInt;
                    interruptions: z.ZodInt;
                    fresh: z.ZodBoolean;
                    unstarted: z.ZodOptional<z.ZodBoolean>;
                    progress: z.ZodNullable<z.ZodObject<{
                        cursor: z.ZodUnknown;
                        progress: z.ZodUnknown;
                        progress_count: z.ZodInt;
                        result_count: z.ZodInt;
                        tokens_used: z.ZodInt;
                        last_progress_at: z.ZodISODateTime;
                    }, z.core.$strip>>;
                }, z.core.$strip>>;
            }, z.core.$strip>;
        };
        readonly errors: readonly ["lease_gone", "lease_stale"];
    };
    readonly claimJob: {
        readonly method: 'POST';
        readonly scope: 'work';
        readonly tag: 'work';
        readonly path: "/api/v1/work/claim/{id}";
        readonly summary: "Claim one job by its id. Returns no job if it cannot be claimed now.";
        readonly params: z.ZodObject<{
            id: z.ZodPreprocess<z.ZodInt, unknown>;
        }, z.core.$strict>;
        readonly body: z.ZodObject<{
            worker: z.ZodString;
            lease: z.ZodOptional<z.ZodInt>;
            lease_ms: z.ZodOptional<z.ZodInt>;
        }, z.core.$strict>;
        readonly response: {
            200: z.ZodObject<{
                jobs: z.ZodArray<z.ZodObject<{
                    job_id: z.ZodInt;
                    attempt: z.ZodInt;
                    lease: z.ZodInt;
                    expires_at: z.ZodNullable<z.ZodISODateTime>;
                    queue: z.ZodString;
                    queue_id: z.ZodInt;
                    kind: z.ZodString;
                    input: z.ZodUnknown;
                    key: z.ZodNullable<z.ZodString>;
                    target: z.ZodNullable<z.ZodString>;
                    subject: z.ZodNullable<z.ZodString>;
                    created_at: z.ZodISODateTime;
                    timeout_ms: z.ZodNullable<z.ZodInt>;
                    token_limit: z.ZodNullable<z.ZodInt>;
                    item_goal: z.ZodNullable<z.ZodInt>;
                    trace: z.ZodNullable<z.ZodString>;
                    priority: z.ZodInt;
                    failures: z.ZodInt;
                    losses: z.ZodInt;
                    interruptions: z.ZodInt;
                    fresh: z.ZodBoolean;
                    unstarted: z.ZodOptional<z.ZodBoolean>;
                    progress: z.ZodNullable<z.ZodObject<{
                        cursor: z.ZodUnknown;
                        progress: z.ZodUnknown;
                        progress_count: z.ZodInt;
                        result_count: z.ZodInt;
                        tokens_used: z.ZodInt;
                        last_progress_at: z.ZodISODateTime;
                    }, z.core.$strip>>;
                }, z.core.$strip>>;
            }, z.core.$strip>;
        };
        readonly errors: readonly ["unknown_job", "lease_gone", "lease_stale"];
    };
    readonly waitForWork: {
        readonly method: 'POST';
        readonly scope: 'work';
        readonly tag: 'work';
        readonly errors: readonly [];
        readonly path: "/api/v1/work/wait";
        readonly summary: "Wait until there may be a job in these queues. Claims none.";
        readonly body: z.ZodObject<{
            queues: z.ZodArray<z.ZodString>;
            wait_ms: z.ZodInt;
            seen: z.ZodOptional<z.ZodString>;
        }, z.core.$strict>;
        readonly response: {
            200: z.ZodObject<{
                woken: z.ZodBoolean;
                seen: z.ZodString;
            }, z.core.$strip>;
        };
        readonly unsafe: false;
    };
    readonly renewLeases: {
        readonly method: 'POST';
        readonly scope: 'work';
        readonly tag: 'work';
        readonly errors: readonly [];
        readonly rank: "first";
        readonly path: "/api/v1/work/renew";
        readonly summary: "Heartbeat: renew leases. Returns canceled and revoked attempts, paused queues, and whether to drain.";
        readonly body: z.ZodObject<{
            leases: z.ZodArray<z.ZodInt>;
            seen: z.ZodOptional<z.ZodArray<z.ZodObject<{
                job_id: z.ZodInt;
                attempt: z.ZodInt;
            }, z.core.$strict>>>;
            presence: z.ZodOptional<z.ZodObject<{
                worker: z.ZodString;
                host: z.ZodString;
                pid: z.ZodInt;
                version: z.ZodString;
                app_version: z.ZodOptional<z.ZodString>;
                kinds: z.ZodArray<z.ZodString>;
                queues: z.ZodArray<z.ZodString>;
                slots: z.ZodInt;
                busy: z.ZodInt;
                lag_ms: z.ZodDefault<z.ZodNumber>;
                draining: z.ZodDefault<z.ZodBoolean>;
            }, z.core.$strict>>;
        }, z.core.$strict>;
        readonly response: {
            200: z.ZodObject<{
                leases: z.ZodArray<z.ZodObject<{
                    lease: z.ZodInt;
                    alive: z.ZodBoolean;
                    expires_at: z.ZodNullable<z.ZodISODateTime>;
                    cancel: z.ZodArray<z.ZodObject<{
                        job_id: z.ZodInt;
                        attempt: z.ZodInt;
                    }, z.core.$strict>>;
                    revoked: z.ZodArray<z.ZodObject<{
                        job_id: z.ZodInt;
                        attempt: z.ZodInt;
                    }, z.core.$strict>>;
                }, z.core.$strip>>;
                drain: z.ZodBoolean;
                paused: z.ZodArray<z.ZodString>;
            }, z.core.$strip>;
        };
    };
    readonly startJobs: {
        readonly method: 'POST';
        readonly scope: 'work';
        readonly tag: 'work';
        readonly errors: readonly [];
        readonly rank: "first";
        readonly path: "/api/v1/work/start";
        readonly summary: "Mark claimed jobs as started. Returns those that are marked. A locked job is not: send it again later.";
        readonly body: z.ZodObject<{
            jobs: z.ZodArray<z.ZodObject<{
                job_id: z.ZodInt;
                attempt: z.ZodInt;
                lease: z.ZodInt;
                started_ago_ms: z.ZodOptional<z.ZodNumber>;
            }, z.core.$strict>>;
        }, z.core.$strict>;
        readonly response: {
            200: z.ZodObject<{
                jobs: z.ZodArray<z.ZodObject<{
                    job_id: z.ZodInt;
                    attempt: z.ZodInt;
                }, z.core.$strict>>;
            }, z.core.$strip>;
        };
        readonly bodyBytesMax: number;
    };
    readonly reportWork: {
        readonly method: 'POST';
        readonly scope: 'work';
        readonly tag: 'work';
        readonly rank: "first";
        readonly path: "/api/v1/work/report";
        readonly summary: "Save progress: items, cursor, tokens. The same report twice counts once.";
        readonly body: z.ZodObject<{
            job_id: z.ZodInt;
            attempt: z.ZodInt;
            lease: z.ZodInt;
            items: z.ZodOptional<z.ZodArray<z.ZodUnknown>>;
            cursor: z.ZodOptional<z.ZodUnknown>;
            progress: z.ZodOptional<z.ZodUnknown>;
            tokens: z.ZodOptional<z.ZodInt>;
            extend_ms: z.ZodOptional<z.ZodInt>;
            seq: z.ZodOptional<z.ZodInt>;
            done: z.ZodOptional<z.ZodBoolean>;
            done_reason: z.ZodOptional<z.ZodString>;
            result: z.ZodOptional<z.ZodUnknown>;
        }, z.core.$strict>;
        readonly response: {
            200: z.ZodObject<{
                done: z.ZodBoolean;
                done_reason: z.ZodNullable<z.ZodString>;
                new_items: z.ZodInt;
                duplicate_items: z.ZodInt;
                progress_count: z.ZodInt;
                result_count: z.ZodInt;
                tokens_used: z.ZodInt;
                token_limit: z.ZodNullable<z.ZodInt>;
                cancel_requested: z.ZodBoolean;
                expires_at: z.ZodNullable<z.ZodISODateTime>;
            }, z.core.$strip>;
        };
        readonly errors: readonly ["lease_lost", "payload_too_large", "too_deep"];
        readonly bodyBytesMax: number;
    };
    readonly logWork: {
        readonly method: 'POST';
        readonly scope: 'work';
        readonly tag: 'work';
        readonly errors: readonly [];
        readonly path: "/api/v1/work/log";
        readonly summary: "Show lines that running jobs have logged. The log that is stored comes with the end of the attempt.";
        readonly body: z.ZodObject<{
            jobs: z.ZodArray<z.ZodObject<{
                job_id: z.ZodInt;
                attempt: z.ZodInt;
                lease: z.ZodInt;
                text: z.ZodString;
            }, z.core.$strict>>;
        }, z.core.$strict>;
        readonly response: {
            200: z.ZodObject<{
                logged: z.ZodInt;
            }, z.core.$strip>;
        };
        readonly bodyBytesMax: number;
    };
    readonly finishJobs: {
        readonly method: 'POST';
        readonly scope: 'work';
        readonly tag: 'work';
        readonly rank: "first";
        readonly path: "/api/v1/work/finish";
        readonly summary: "Finish attempts, each with its outcome. The same finish twice is accepted twice and counts once.";
        readonly body: z.ZodObject<{
            jobs: z.ZodArray<z.ZodObject<{
                job_id: z.ZodInt;
                attempt: z.ZodInt;
                lease: z.ZodInt;
                outcome: z.ZodEnum<{
                    canceled: "canceled";
                    failed: "failed";
                    parked: "parked";
                    released: "released";
                    snoozed: "snoozed";
                    succeeded: "succeeded";
                }>;
                started_ago_ms: z.ZodOptional<z.ZodNumber>;
                result: z.ZodOptional<z.ZodUnknown>;
                reason: z.ZodOptional<z.ZodString>;
                error: z.ZodOptional<z.ZodUnion<readonly [z.ZodString, z.ZodObject<{
                    name: z.ZodOptional<z.ZodString>;
                    message: z.ZodOptional<z.ZodString>;
                    stack: z.ZodOptional<z.ZodString>;
                }, z.core.$strip>]>>;
                log: z.ZodOptional<z.ZodString>;
                retryable: z.ZodOptional<z.ZodBoolean>;
                delay_ms: z.ZodOptional<z.ZodInt>;
                started: z.ZodOptional<z.ZodBoolean>;
            }, z.core.$strict>>;
        }, z.core.$strict>;
        readonly response: {
            200: z.ZodObject<{
                jobs: z.ZodArray<z.ZodObject<{
                    job_id: z.ZodInt;
                    attempt: z.ZodInt;
                    accepted: z.ZodBoolean;
                    state: z.ZodNullable<z.ZodEnum<{
                        assigned: "assigned";
                        canceled: "canceled";
                        errored: "errored";
                        failed: "failed";
                        parked: "parked";
                        paused: "paused";
                        pending: "pending";
                        queued: "queued";
                        retrying: "retrying";
                        running: "running";
                        scheduled: "scheduled";
                        succeeded: "succeeded";
                        waiting: "waiting";
                    }>>;
                    due_at: z.ZodNullable<z.ZodISODateTime>;
                }, z.core.$strip>>;
            }, z.core.$strip>;
        };
        readonly errors: readonly ["payload_too_large", "job_locked"];
        readonly bodyBytesMax: number;
    };
    readonly releaseUnlisted: {
        readonly method: 'POST';
        readonly scope: 'work';
        readonly tag: 'work';
        readonly errors: readonly [];
        readonly rank: "first";
        readonly path: "/api/v1/work/release-unlisted";
        readonly summary: "Release jobs of the lease that are not listed, such as those of a claim whose response was lost.";
        readonly body: z.ZodObject<{
            lease: z.ZodInt;
            jobs: z.ZodArray<z.ZodObject<{
                job_id: z.ZodInt;
                attempt: z.ZodInt;
            }, z.core.$strict>>;
            older_than_ms: z.ZodNumber;
        }, z.core.$strict>;
        readonly response: {
            200: z.ZodObject<{
                released: z.ZodInt;
            }, z.core.$strip>;
        };
    };
    readonly closeLease: {
        readonly method: 'POST';
        readonly scope: 'work';
        readonly tag: 'work';
        readonly errors: readonly [];
        readonly rank: "first";
        readonly path: "/api/v1/work/leases/close";
        readonly summary: "Close a lease. At a \"shutdown\", the default, its jobs are released and not charged; for any other reason those that had started are lost.";
        readonly body: z.ZodObject<{
            lease: z.ZodInt;
            reason: z.ZodOptional<z.ZodString>;
            started: z.ZodOptional<z.ZodArray<z.ZodInt>>;
        }, z.core.$strict>;
        readonly response: {
            200: z.ZodObject<{
                released: z.ZodInt;
            }, z.core.$strip>;
        };
    };
    readonly heartbeat: {
        readonly method: 'POST';
        readonly scope: 'work';
        readonly tag: 'work';
        readonly errors: readonly [];
        readonly rank: "first";
        readonly path: "/api/v1/work/heartbeat";
        readonly summary: "Register a worker or update it. Returns whether it should drain.";
        readonly body: z.ZodObject<{
            worker: z.ZodString;
            host: z.ZodString;
            pid: z.ZodInt;
            version: z.ZodString;
            app_version: z.ZodOptional<z.ZodString>;
            kinds: z.ZodArray<z.ZodString>;
            queues: z.ZodArray<z.ZodString>;
            slots: z.ZodInt;
            busy: z.ZodInt;
            lag_ms: z.ZodDefault<z.ZodNumber>;
            draining: z.ZodDefault<z.ZodBoolean>;
        }, z.core.$strict>;
        readonly response: {
            200: z.ZodObject<{
                drain: z.ZodBoolean;
            }, z.core.$strip>;
        };
    };
    readonly removeWorker: {
        readonly method: 'POST';
        readonly scope: 'work';
        readonly tag: 'work';
        readonly errors: readonly [];
        readonly path: "/api/v1/work/remove-worker";
        readonly summary: "Remove a worker from the list. Does not close its leases.";
        readonly body: z.ZodObject<{
            worker: z.ZodString;
        }, z.core.$strict>;
        readonly response: {
            204: null;
        };
    };
    readonly unparkJobs: {
        readonly method: 'POST';
        readonly scope: 'work';
        readonly tag: 'work';
        readonly errors: readonly [];
        readonly path: "/api/v1/work/unpark";
        readonly summary: "Requeue parked jobs of these kinds, up to 1,000 per call.";
        readonly body: z.ZodObject<{
            queues: z.ZodArray<z.ZodString>;
            kinds: z.ZodArray<z.ZodString>;
        }, z.core.$strict>;
        readonly response: {
            200: z.ZodObject<{
                unparked: z.ZodInt;
            }, z.core.$strip>;
        };
    };
    readonly depth: {
        readonly method: 'POST';
        readonly scope: 'work';
        readonly tag: 'work';
        readonly errors: readonly [];
        readonly path: "/api/v1/work/depth";
        readonly summary: "Count due, unclaimed jobs of these queues, up to `max`.";
        readonly body: z.ZodObject<{
            queues: z.ZodArray<z.ZodString>;
            max: z.ZodDefault<z.ZodInt>;
        }, z.core.$strict>;
        readonly response: {
            200: z.ZodObject<{
                depth: z.ZodInt;
            }, z.core.$strip>;
        };
        readonly unsafe: false;
    };
    readonly depthByKind: {
        readonly method: 'POST';
        readonly scope: 'work';
        readonly tag: 'work';
        readonly errors: readonly [];
        readonly path: "/api/v1/work/depths";
        readonly summary: "Count due, unclaimed jobs by kind, each queue up to `max`.";
        readonly body: z.ZodObject<{
            queues: z.ZodArray<z.ZodString>;
            max: z.ZodDefault<z.ZodInt>;
        }, z.core.$strict>;
        readonly response: {
            200: z.ZodObject<{
                kinds: z.ZodArray<z.ZodObject<{
                    queue_id: z.ZodInt;
                    kind: z.ZodString;
                    jobs: z.ZodInt;
                }, z.core.$strip>>;
            }, z.core.$strip>;
        };
        readonly unsafe: false;
    };
    readonly recordScale: {
        readonly method: 'POST';
        readonly scope: 'work';
        readonly tag: 'work';
        readonly errors: readonly [];
        readonly path: "/api/v1/work/scale";
        readonly summary: "Record that a group of workers changed its size.";
        readonly body: z.ZodObject<{
            worker: z.ZodString;
            group: z.ZodString;
            from: z.ZodInt;
            to: z.ZodInt;
            depth: z.ZodInt;
            reason: z.ZodEnum<{
                depth: "depth";
                wait: "wait";
            }>;
        }, z.core.$strict>;
        readonly response: {
            204: null;
        };
    };
};

const workersContract: {
    readonly listWorkers: {
        readonly method: "GET";
        readonly path: "/api/v1/workers";
        readonly scope: "read";
        readonly tag: "workers";
        readonly summary: "List registered workers with their leases.";
        readonly response: {
            200: z.ZodObject<{
                workers: z.ZodArray<z.ZodObject<{
                    worker: z.ZodString;
                    tenant: z.ZodString;
                    host: z.ZodString;
                    pid: z.ZodInt;
                    version: z.ZodString;
                    app_version: z.ZodNullable<z.ZodString>;
                    kinds: z.ZodArray<z.ZodString>;
                    queues: z.ZodArray<z.ZodString>;
                    slots: z.ZodInt;
                    busy: z.ZodInt;
                    lag_ms: z.ZodInt;
                    draining: z.ZodBoolean;
                    drain_requested_at: z.ZodNullable<z.ZodISODateTime>;
                    drain_requested_by: z.ZodNullable<z.ZodString>;
                    drain_reason: z.ZodNullable<z.ZodString>;
                    started_at: z.ZodISODateTime;
                    heartbeat_at: z.ZodISODateTime;
                    alive: z.ZodBoolean;
                    lease_expires_at: z.ZodNullable<z.ZodISODateTime>;
                    leases: z.ZodInt;
                }, z.core.$strip>>;
            }, z.core.$strip>;
        };
        readonly errors: readonly [];
    };
    readonly getWorker: {
        readonly method: "GET";
        readonly path: "/api/v1/workers/{name}";
        readonly scope: "read";
        readonly tag: "workers";
        readonly summary: "Get a worker with the jobs it holds.";
        readonly params: z.ZodObject<{
            name: z.ZodString;
        }, z.core.$strict>;
        readonly response: {
            200: z.ZodObject<{
                worker: z.ZodString;
                tenant: z.ZodString;
                host: z.ZodString;
                pid: z.ZodInt;
                version: z.ZodString;
                app_version: z.ZodNullable<z.ZodString>;
                kinds: z.ZodArray<z.ZodString>;
                queues: z.ZodArray<z.ZodString>;
                slots: z.ZodInt;
                busy: z.ZodInt;
                lag_ms: z.ZodInt;
                draining: z.ZodBoolean;
                drain_requested_at: z.ZodNullable<z.ZodISODateTime>;
                drain_requested_by: z.ZodNullable<z.ZodString>;
                drain_reason: z.ZodNullable<z.ZodString>;
                started_at: z.ZodISODateTime;
                heartbeat_at: z.ZodISODateTime;
                alive: z.ZodBoolean;
                lease_expires_at: z.ZodNullable<z.ZodISODateTime>;
                leases: z.ZodInt;
                heartbeat_age_ms: z.ZodInt;
                jobs: z.ZodArray<z.ZodObject<{
                    id: z.ZodInt;
                    queue: z.ZodString;
                    kind: z.ZodString;
                    attempt: z.ZodInt;
                    claimed_at: z.ZodISODateTime;
                    started_at: z.ZodNullable<z.ZodISODateTime>;
                    cancel_requested: z.ZodBoolean;
                }, z.core.$strip>>;
                jobs_capped: z.ZodBoolean;
            }, z.core.$strip>;
        };
        readonly errors: readonly ["unknown_worker"];
    };
    readonly drainWorker: {
        readonly method: "POST";
        readonly path: "/api/v1/workers/{name}/drain";
        readonly scope: "operate";
        readonly tag: "workers";
        readonly summary: "Drain a worker: it claims no more jobs, finishes the running ones and stops.";
        readonly params: z.ZodObject<{
            name: z.ZodString;
        }, z.core.$strict>;
        readonly body: z.ZodOptional<z.ZodObject<{
            reason: z.ZodOptional<z.ZodString>;
        }, z.core.$strict>>;
        readonly response: {
            202: z.ZodObject<{
                worker: z.ZodString;
                requested: z.ZodBoolean;
            }, z.core.$strip>;
        };
        readonly errors: readonly ["unknown_worker", "wrong_tenant"];
    };
};

function advance(app: FreshApp, ms: number): Promise<void>;

function assertEnqueued<J extends DefinedJob>(app: App, job: J, input?: Partial<InputOf<J>>): Promise<EnqueuedJob<J>>;

function backoffMs(policy: BackoffPolicy): number;

function buildServer(store: Store, options?: ServerOptions): FastifyInstance;

function catalogue(kinds: Readonly<Record<string, WorkKind>>, queue?: string): Catalogue;

function connectSqs(given: SqsOptions): Promise<SqsBridge>;

function createClient<D extends Definitions = readonly JobDefinition[]>(options: ClientOptions<D>): Client<D>;

function dashboard(host: DashboardHost, options?: DashboardOptions): DashboardHandler;

function decide(live: Live, reported: AttemptOutcome, policy: EndingPolicy, reportedFacts?: EndingFacts): Next;

function defineJob<const Kind extends string, Output, Result, Input = Output, const Queue extends string = string>(options: JobOptions<Kind, Output> & {
    readonly queue?: Queue;
    readonly input?: StandardSchema<Input, Output> | undefined;
} & WhereItRuns<Output, Result>): DefinedJob<Kind, Input, Output, Awaited<Result>, Queue>;

function defineSchedule<J extends DefinedJob>(declaration: ScheduleDeclaration<J>): ScheduleDeclaration<J>;

function enqueued<J extends DefinedJob>(app: App, job: J): Promise<EnqueuedJob<J>[]>;

function examine(database: Database, schema?: string, options?: ExamineOptions): Promise<Examination>;

function findEmbedded({ dir }?: {
    dir?: string | undefined;
}): Promise<FoundEmbedded | undefined>;

function freshApp(options?: Omit<HoldfastOptions, 'store' | 'embedded' | 'migrate'>): Promise<FreshApp>;

function freshStore(options?: StoreOptions): Promise<FreshStore>;

function holdfast<const Scheduled extends readonly DefinedJob[] = readonly DefinedJob[]>(options?: HoldfastOptions<Scheduled>): Promise<App>;

function installRoles(database: Database, schema: string): Promise<void>;

function listenMetrics(source: MetricsSource, address: MetricsAddress): Promise<ListeningMetrics>;

function loadConfig({ env, cwd, file, flags, }?: ConfigOptions): Config;

function lockFolder(dir: string): () => void;

function migrateUp(database: Database, schema: string): Promise<MigrationResult>;

function migrationSql(database: Database | undefined, schema: string): Promise<string>;

function migrationStatus(database: Database, schema: string): Promise<MigrationStatus>;

function nodeListener(handle: (request: Request) => Promise<Response>): NodeListener;

function openPglite({ dir }?: PgliteOptions): Promise<Database>;

function openPostgres({ url, connections, applicationName, }: PostgresOptions): Database;

function openStore(options?: StoreOptions): Promise<Store>;

function pinClock(store: {
    readonly database: Database;
    readonly schema: string;
}, at?: Date): Promise<PinnedClock>;

function presetReason(preset: PresetName, { state, reason }: {
    readonly state: State;
    readonly reason: string | null;
}): string | null;

function roleName(role: Role | 'owner', schema: string): string;

function rolesSql(schema: string): string;

function routes<C extends Contract>(contract: C, handlers: Handlers<C>): Route[];

function runUntilIdle(app: App, options?: WorkOptions): Promise<void>;

function serverMetrics(): ServerMetrics;

function startEmbedded(options?: EmbeddedOptions): Promise<EmbeddedPostgres>;

function stateWord(preset: PresetName, state: State, job: {
    readonly attempted: boolean;
}): string;

function storeOn(raw: Database, schema?: string, { notify }?: Pick<StoreOptions, 'notify'>): Store;

function verifyWebhook(secret: string, headers: Readonly<Record<string, string | string[] | undefined>>, body: string, { toleranceSec, now }?: {
    toleranceSec?: number;
    now?: Date;
}): boolean;

function webhookOptionsOf(config: Config): WebhookOptions;

function work({ server, jobs, log: given, ...options }: RemoteWorkOptions): Promise<WorkHandle>;

function workOptionsOf(config: Config, queues?: readonly string[]): WorkOptions;

function workerMetrics(): WorkerMetrics;

interface Address {
    readonly address: string;
    readonly family: number;
}

interface AgeOptions {
    readonly afterMs?: number;
    readonly step?: number;
    readonly cap?: number;
    readonly everyMs?: number;
    readonly perLevel?: number;
}

interface Alert extends AlertFacts {
    readonly id: number;
    readonly tenant: string;
    readonly state: AlertState;
    readonly value: number;
    readonly threshold: number;
    readonly summary: string;
    readonly since: Date;
    readonly firedAt: Date | null;
    readonly seenAt: Date;
    readonly silencedUntil: Date | null;
    readonly silencedBy: string | null;
    readonly silenceReason: string | null;
}

interface AlertEvent extends AlertFacts {
    readonly id: number;
    readonly alertId: number;
    readonly at: Date;
    readonly tenant: string;
    readonly type: (typeof ALERT_EVENTS)[number];
    readonly actor: string | null;
    readonly reason: string | null;
}

interface AlertFacts {
    readonly rule: string;
    readonly subject: string;
    readonly value: number | null;
    readonly threshold: number | null;
    readonly data: Readonly<Record<string, unknown>> | null;
}

interface AlertFilter {
    readonly tenant?: string;
    readonly all?: boolean;
    readonly state?: AlertState;
    readonly rule?: string;
    readonly after?: number;
    readonly limit?: number;
}

interface AlertGauges {
    readonly alerts: readonly {
        readonly tenant: string;
        readonly rule: string;
        readonly state: string;
        readonly count: number;
    }[];
    readonly values: readonly {
        readonly tenant: string;
        readonly rule: string;
        readonly subject: string;
        readonly value: number;
    }[];
}

interface AlertRule {
    readonly rule: AlertRuleName;
    readonly subject: string;
    readonly enabled: boolean;
    readonly threshold: number;
    readonly forSec: number;
    readonly clearSec: number;
    readonly unit: string;
    readonly of: string;
    readonly setting: string;
    readonly origin: 'setting' | 'set';
}

interface AlertRuleOptions {
    readonly enabled?: boolean | null;
    readonly threshold?: number | null;
    readonly forSec?: number | null;
    readonly clearSec?: number | null;
}

interface AnyJobHandle<Result> {
    readonly id: number;
    readonly deduplicated: boolean;
    status(): Promise<State>;
    result(options?: WaitOptions): Promise<Result>;
    history(): Promise<Record<string, unknown>>;
}

interface ApiCancelOptions extends CommandReason {
    readonly ifState?: State;
}

interface ApiDocument {
    readonly info: {
        readonly version: string;
    };
    readonly tags: readonly {
        readonly name: string;
        readonly description: string;
    }[];
    readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
    readonly components: {
        readonly schemas: Shapes;
    };
}

interface ApiJobHandle<Result = unknown> extends AnyJobHandle<Result> {
    job(): Promise<ApiRow>;
    cancel(why?: ApiCancelOptions): ReturnType<JobCalls['cancel']>;
    retry(why?: CommandReason): ReturnType<JobCalls['retry']>;
    explain(): Promise<AnswerAt<EndpointAt<'GET', '/api/v1/jobs/{id}/explain'>>['reasons']>;
}

interface ApiKey {
    readonly id: number;
    readonly tenant: string;
    readonly name: string;
    readonly hint: string;
    readonly scopes: string[];
    readonly rateLimit: number | null;
    readonly state: 'live' | 'expired' | 'revoked';
    readonly createdAt: Date;
    readonly createdBy: string | null;
    readonly expiresAt: Date | null;
    readonly lastUsedAt: Date | null;
    readonly revokedAt: Date | null;
    readonly revokedBy: string | null;
    readonly revokeReason: string | null;
    readonly replaces: number | null;
}

interface App {
    readonly enqueue: Enqueuer['enqueue'];
    readonly enqueueMany: Enqueuer['enqueueMany'];
    handle<Result = unknown>(jobId: number): JobHandle<Result>;
    work(options?: WorkOptions): Promise<WorkHandle>;
    stop(options?: DrainOptions): Promise<void>;
    [Symbol.asyncDispose](): Promise<void>;
    readonly jobs: JobCommands;
    readonly queues: Queues;
    readonly schedules: Schedules;
    readonly settings: Settings;
    readonly alerts: Alerts;
    readonly webhooks: Webhooks;
    readonly subjects: Subjects;
    readonly stats: Stats;
    readonly upkeep: AppUpkeep;
    readonly store: Store;
    readonly notes: readonly string[];
}

interface AppUpkeep extends Chores {
    start(): void;
    stop(): Promise<void>;
}

interface Asset {
    readonly type: string;
    readonly bytes: Readonly<Partial<Record<Coding, Uint8Array>>> & {
        readonly identity: Uint8Array;
    };
}

interface Attempt extends Omit<Fence, 'lease'> {
    readonly lease: number | null;
    readonly worker: string | null;
    readonly claimedAt: Date | null;
    readonly startedAt: Date | null;
    readonly finishedAt: Date;
    readonly outcome: AttemptOutcome;
    readonly movedTo: State;
    readonly final: boolean;
    readonly failures: number;
    readonly result: unknown;
    readonly reason: string | null;
    readonly errorClass: string | null;
    readonly errorMessage: string | null;
    readonly errorFingerprint: string | null;
    readonly errorStack: string | null;
    readonly logExcerpt: string | null;
    readonly cleaned: string[] | null;
}

interface AttemptFacts {
    readonly kind: string;
    readonly queueId: number;
    readonly queue: string;
    readonly outcome: string;
    readonly accepted: boolean;
    readonly state: State | null;
    readonly ranMs: number;
    readonly waitedMs: number | null;
}

interface AttemptsOfJob {
    readonly maxAttempts: number;
    readonly lastError: string | null;
}

interface Attribution {
    readonly actor?: string;
    readonly reason?: string;
}

interface AuditFilter {
    readonly tenant?: string;
    readonly actor?: string;
    readonly operation?: string;
    readonly since?: string;
    readonly until?: string;
    readonly before?: number;
    readonly limit?: number;
}

interface AuditRow extends Omit<RecordedCall, 'agoMs'> {
    readonly id: number;
    readonly at: Date;
}

interface BackoffPolicy {
    readonly failures: number;
    readonly baseMs: number;
    readonly factor: number;
    readonly capMs: number;
    readonly jitterLow: number;
    readonly jitterHigh: number;
    readonly random?: number;
}

interface BlockedTarget {
    readonly queue: string;
    readonly target: string;
    readonly jobId: number;
    readonly kind: string;
    readonly state: State;
    readonly status: string;
    readonly reason: string | null;
    readonly lastError: string | null;
    readonly since: Date;
    readonly blockedMs: number;
    readonly behind: number;
}

interface Bound {
    readonly value: number | string;
    readonly inclusive: boolean;
}

interface BulkOperation {
    readonly id: number;
    readonly tenant: string;
    readonly command: BulkCommand;
    readonly q: string;
    readonly priority: number | null;
    readonly by: number | null;
    readonly until: Date;
    readonly state: BulkState;
    readonly expected: number | null;
    readonly expectedCapped: boolean;
    readonly matched: number;
    readonly done: number;
    readonly failed: number;
    readonly progress: number | null;
    readonly limitReached: boolean;
    readonly createdAt: Date;
    readonly createdBy: string | null;
    readonly reason: string | null;
    readonly startedAt: Date | null;
    readonly endedAt: Date | null;
    readonly runner: string | null;
    readonly abortedBy: string | null;
    readonly abortReason: string | null;
    readonly error: string | null;
}

interface BulkPreview {
    readonly matched: number;
    readonly matchedCapped: boolean;
    readonly applicable: number;
    readonly states: {
        readonly state: State;
        readonly matched: number;
        readonly applicable: number;
    }[];
    readonly until: Date;
    readonly samples: (ListedJob & {
        readonly applies: boolean;
    })[];
}

interface BulkQuery {
    readonly command: BulkCommand;
    readonly q: string;
    readonly until?: Date | string;
    readonly priority?: number;
    readonly by?: number;
}

interface BulkQueryOptions extends CommandReason {
    readonly expected?: {
        readonly matched: number;
        readonly capped: boolean;
    };
    readonly idempotencyKey?: string;
}

interface BulkRequest {
    readonly tenant?: string;
    readonly command: BulkCommand;
    readonly q: string;
    readonly until?: Date | string;
    readonly priority?: number;
    readonly by?: number;
}

interface BulkResult {
    readonly jobId: number;
    readonly ok: boolean;
    readonly state: State | null;
    readonly newJobId: number | null;
    readonly code: string | null;
    readonly detail: string | null;
    readonly at: Date;
}

interface BulkStart extends BulkRequest, Attribution {
    readonly expected?: {
        readonly matched: number;
        readonly capped: boolean;
    };
    readonly idempotencyKey?: string;
}

interface Call<E extends Endpoint = Endpoint> {
    readonly store: Store;
    readonly webhooks: Webhooks;
    readonly who: Principal;
    readonly tenant: string;
    readonly everywhere: boolean;
    readonly params: ParamsOf<E>;
    readonly query: QueryOf<E>;
    readonly headers: HeadersOf<E>;
    readonly body: BodyOf<E>;
    readonly act: Attribution;
    readonly signal: AbortSignal;
    stillAllowed(): Promise<void>;
    readonly server: ServerContext;
    readonly request: FastifyRequest;
    readonly reply: FastifyReply;
}

interface CallOptions {
    readonly deadlineMs?: number;
    readonly repeatable?: boolean;
    readonly often?: boolean;
    readonly rank?: CallRank;
    readonly tenant?: string;
    readonly isNarrowed?: boolean;
    readonly asWritten?: boolean;
    readonly breaks?: number | undefined;
}

interface CallScope {
    readonly tenant: string;
    readonly rank?: CallRank;
    readonly isNarrowed?: boolean;
}

interface CallerTransaction {
    query(text: string, values: unknown[]): Promise<{
        rows: unknown[];
    }>;
}

interface CancelOptions extends Attribution {
    readonly ifState?: State;
}

interface Catalogue {
    readonly jobs: readonly DefinedJob<string, unknown, unknown, WorkResult>[];
    readonly kinds: Readonly<Record<string, WorkKind>>;
    job(kind: string): DefinedJob<string, unknown, unknown, WorkResult>;
}

interface Checked {
    readonly name: string;
    readonly result: 'fine' | 'found' | 'skipped';
    readonly reason?: string;
}

interface ChoreDone {
    readonly name: string;
    readonly rows: number;
    readonly durationMs: number;
    readonly more: boolean;
}

interface ChoreRecord {
    readonly name: string;
    readonly everyMs: number;
    readonly agoMs: number;
    readonly durationMs: number;
    readonly rows: number;
    readonly error: string | null;
    readonly runs: number;
    readonly rowsTotal: number;
    readonly failures: number;
    readonly lastChangeAgoMs: number | null;
}

interface ChoreRun {
    readonly name: string;
    readonly node: string;
    readonly everyMs: number;
    readonly lastRunAt: Date;
    readonly nextDueAt: Date;
    readonly durationMs: number;
    readonly rows: number;
    readonly runs: number;
    readonly rowsTotal: number;
    readonly lastChangeAt: Date | null;
    readonly failures: number;
    readonly error: string | null;
    readonly failedAt: Date | null;
}

interface Chores {
    list(): Promise<ChoreStatus[]>;
    run(name: string): Promise<ChoreDone>;
}

interface ClaimAsk {
    readonly worker: string;
    readonly lease: number;
    readonly queues: readonly string[];
    readonly tenant?: string;
    readonly limit: number;
    readonly startNow?: number;
    readonly eager?: boolean;
    readonly found?: () => void;
}

interface ClaimOptions extends WorkerScope {
    readonly worker: string;
    readonly lease?: number;
    readonly limit?: number;
    readonly leaseMs?: number;
    readonly startNow?: number;
    readonly eager?: boolean;
    readonly found?: () => void;
}

interface ClaimPort {
    claim(ask: ClaimAsk): Promise<ClaimedJob[]>;
    start(fences: readonly (Fence & {
        startedAgoMs?: number;
    })[]): Promise<JobAttempt[]>;
    report(report: Report): Promise<Reported>;
    finish(endings: readonly Ending[]): Promise<Ended[]>;
    logLines?(lines: readonly LoggedLines[]): Promise<number>;
    hasWork?(ask: Pick<ClaimAsk, 'worker' | 'lease' | 'queues' | 'tenant'>): Promise<boolean>;
    queueName?(queueId: number): string | undefined;
}

interface ClaimWaitersDeps {
    readonly wakeups: Wakeups;
    readonly queues: readonly string[];
    isWork(): Promise<boolean>;
    awaited(waiters: ClaimWaiters, isAwaited: boolean): void;
    unused(): void;
}

interface ClaimedJob extends Fence {
    readonly expiresAt: Date | null;
    readonly queueId: number;
    readonly kind: string;
    readonly input: unknown;
    readonly key: string | null;
    readonly target: string | null;
    readonly subject: string | null;
    readonly createdAt: Date;
    readonly timeoutMs: number | null;
    readonly tokenLimit: number | null;
    readonly itemGoal: number | null;
    readonly trace: string | null;
    readonly priority: number;
    readonly failures: number;
    readonly losses: number;
    readonly interruptions: number;
    readonly level?: number;
    readonly fresh?: boolean;
    readonly unstarted?: boolean | undefined;
    readonly progress: Progress | null;
}

interface ClaimerClock {
    readonly now?: () => number;
    readonly unfetchedMs?: number;
}

interface ClaimerDeps {
    readonly database: Database;
    readonly queues: Queues;
    readonly epochs: ConnectionEpochs;
    readonly observers: StoreObservers;
}

interface CommandReason {
    readonly reason?: string;
}

interface ConfigEntry {
    readonly key: ConfigKey;
    readonly value: ConfigValue | null;
    readonly origin: string;
}

interface ConfigOptions {
    readonly env?: Environment;
    readonly cwd?: string;
    readonly file?: string | undefined;
    readonly flags?: Partial<Record<ConfigKey, {
        readonly flag: string;
        readonly value: unknown;
    }>>;
}

interface ConnectionEpoch {
    readonly since: string | null;
    readonly breaks: number | undefined;
}

interface Connections {
    readonly busy: number;
    readonly idle: number;
    readonly waiting: number;
}

interface ContextOptions {
    readonly loopback?: boolean;
    readonly adminKey?: string;
    readonly linkKey?: string;
    readonly readOnly?: boolean;
    readonly redact?: readonly string[];
    readonly webhooks?: WebhookOptions;
    readonly settingOrigin?: (name: string) => string | undefined;
    readonly chores?: Chores;
    readonly now?: () => number;
    readonly basePath?: string;
    readonly trustProxy?: boolean;
    readonly metrics?: ServerMetrics;
}

interface Count {
    readonly count: number;
    readonly capped: boolean;
}

interface CountedTrigger {
    readonly name: string;
    counts(): Readonly<Record<string, number>>;
}

interface Counters {
    readonly failures: number;
    readonly losses: number;
    readonly interruptions: number;
}

interface Cursor {
    readonly text: string;
    readonly server: string | undefined;
    readonly from: Snapshot;
    readonly to: Snapshot | undefined;
    readonly xid: number;
    readonly id: number;
}

interface DashboardBundle {
    readonly index: string | undefined;
    readonly assets: ReadonlyMap<string, Asset>;
}

interface DashboardHandler {
    (request: Request): Promise<Response>;
    close(): Promise<void>;
}

interface DashboardHost {
    readonly store: Store;
    readonly upkeep?: Chores;
}

interface DashboardOptions {
    readonly basePath?: string;
    readonly readOnly?: boolean;
    readonly tenant?: string;
    readonly scopes?: readonly Scope[];
    readonly actor?: (request: Request) => string | Promise<string>;
    readonly redact?: readonly string[];
    readonly log?: Log | false;
}

interface Database extends Session {
    readonly driver: 'postgres' | 'pglite';
    transaction<T>(work: (session: Session) => Promise<T>, options?: CallOptions): Promise<T>;
    listen?(channel: string, ear: NotificationHandler): Promise<NotificationSubscription | undefined>;
    breaks?(): number;
    connections?(): PoolGauge;
    close(): Promise<void>;
}

interface DatabaseFacts {
    readonly queues?: readonly QueueFacts[] | undefined;
    readonly workers?: readonly WorkerFacts[] | undefined;
    readonly kinds?: readonly {
        readonly queueId: number;
        readonly kind: string;
        readonly jobs: number;
    }[] | undefined;
    readonly windows?: readonly WindowFacts[] | undefined;
    readonly leasesExpired?: ReadonlyMap<number, number> | undefined;
    readonly outbox?: readonly OutboxFacts[] | undefined;
    readonly schedules?: readonly ScheduleRunFacts[] | undefined;
    readonly xmin?: {
        readonly holder: string;
        readonly ageSeconds: number;
    } | undefined;
    readonly alerts?: AlertGauges | undefined;
    readonly connections?: {
        readonly busy: number;
        readonly idle: number;
        readonly waiting: number;
    } | undefined;
}

interface DatabaseOptions {
    readonly url?: string;
    readonly embedded?: 'memory' | {
        readonly home?: string;
        readonly pglite?: boolean;
    };
    readonly store?: Store;
    readonly schema?: string;
    readonly migrate?: boolean;
    readonly notify?: boolean;
    readonly connections?: number;
}

interface DeclaredBy {
    readonly tenant?: string;
    readonly actor?: string;
}

interface DeclaredKind {
    readonly kind: string;
    readonly queue: string;
    readonly maxRetries?: number;
    readonly timeoutMs?: number;
    readonly priority?: number;
    readonly key?: string;
    readonly target?: string;
    readonly search?: readonly string[];
    readonly byProgram?: readonly ('key' | 'target')[];
}

interface DefinedJob<Kind extends string = string, Input = unknown, Output = Input, Result = unknown, Queue extends string = string> extends JobOptions<Kind, Output> {
    readonly queue: Queue;
    readonly input?: StandardSchema<unknown, Output>;
    readonly isolate?: 'thread' | 'process';
    handler(ctx: JobContext, input: Output): Result | Promise<Result>;
    readonly module?: string;
    readonly '~types'?: {
        readonly input: Input;
        readonly output: Output;
        readonly result: Result;
    };
}

interface Delivery {
    readonly id: number;
    readonly webhookId: number;
    readonly alertId: number;
    readonly eventId: number;
    readonly type: (typeof NOTIFIED_EVENTS)[number];
    readonly state: (typeof DELIVERY_STATES)[number];
    readonly attempts: number;
    readonly createdAt: Date;
    readonly nextAt: Date;
    readonly endedAt: Date | null;
    readonly status: number | null;
    readonly error: string | null;
}

interface DeliveryEnd {
    readonly arrived: boolean;
    readonly status: number | null;
    readonly error: string | null;
    readonly retryMs?: number | undefined;
}

interface DrainOptions {
    readonly reason?: string;
    readonly graceMs?: number;
}

interface Drained {
    readonly clean: boolean;
    readonly released: number;
    readonly unwritten: number;
}

interface DrizzleLike {
    execute(query: any): PromiseLike<unknown>;
    rollback(): never;
}

interface EmbeddedOptions {
    dir?: string;
    settings?: Record<string, string>;
    binDir?: string;
    ephemeral?: boolean;
    stopOnExit?: boolean;
    onNotice?: (notice: string) => void;
}

interface EmbeddedPostgres {
    url: string;
    dataDir: string;
    readonly pid: number;
    adopted: boolean;
    notes: string[];
    stop(): Promise<void>;
}

interface Ended extends Omit<Fence, 'lease'> {
    readonly accepted: boolean;
    readonly state: State | null;
    readonly dueAt: Date | null;
    readonly error: LeaseLost | null;
}

interface EndedAttempt {
    readonly jobId: number;
    readonly attempt: number;
    readonly kind: string;
    readonly queueId: number;
    readonly queue: string;
    readonly worker: string;
    readonly retry: number;
    readonly outcome: string;
    readonly accepted: boolean;
    readonly state: State | null;
    readonly dueAt: Date | null;
    readonly ranMs: number;
    readonly waitedMs: number | null;
    readonly reason: string | null;
    readonly traceId: string | null;
}

interface Ending extends Fence {
    readonly outcome: Outcome;
    readonly startedAgoMs?: number;
    readonly result?: unknown;
    readonly reason?: string;
    readonly error?: unknown;
    readonly log?: string;
    readonly retryable?: boolean;
    readonly delayMs?: number;
    readonly started?: boolean;
}

interface EndingFacts {
    readonly retryable?: boolean;
    readonly errorMessage?: string;
    readonly delayMs?: number;
    readonly reason?: string;
    readonly started?: boolean;
    readonly random?: number;
}

interface Endpoint {
    readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
    readonly path: `/${string}`;
    readonly scope: Scope | readonly Scope[] | null;
    readonly everyTenant?: boolean;
    readonly summary: string;
    readonly tag: string;
    readonly params?: z.ZodObject;
    readonly query?: z.ZodObject;
    readonly headers?: z.ZodObject;
    readonly body?: z.ZodType;
    readonly response: Readonly<Record<number, z.ZodType | null>>;
    readonly media?: readonly string[];
    readonly errors: readonly ErrorCode[];
    readonly unknownQuery?: 'ignored';
    readonly unsafe?: boolean;
    readonly rank?: 'first';
    readonly bodyBytesMax?: number;
}

interface EndpointAnswer<S, Body> {
    readonly status: S;
    readonly headers?: Readonly<Record<string, string>>;
    readonly body: Body | Streamed;
}

interface EnqueueCallOptions {
    readonly tenant?: string;
    readonly idempotencyKey?: string;
    readonly tx?: Transaction;
    readonly wake?: boolean;
}

interface EnqueueFacts extends Traceable {
    readonly count: number;
}

interface Enqueued {
    readonly jobId: number;
    readonly deduplicated: boolean;
}

interface ErrorGroup {
    readonly fingerprint: string;
    readonly errorClass: string | null;
    readonly message: string;
    readonly firstSeenAt: Date;
    readonly lastSeenAt: Date;
    readonly count: number;
    readonly count24h: number;
    readonly trend: readonly number[];
    readonly kinds: readonly string[];
    readonly queues: readonly string[];
    readonly firstVersion: string | null;
    readonly lastVersion: string | null;
    readonly lastJobId: number;
}

interface ErrorGroupFilter {
    readonly tenant?: string;
    readonly queue?: string;
    readonly kind?: string;
    readonly limit?: number;
    readonly after?: string;
}

interface ErrorOptions {
    readonly cause?: unknown;
    readonly message?: string;
}

interface ErrorSample {
    readonly jobId: number;
    readonly attempt: number;
    readonly at: Date;
    readonly queue: string;
    readonly kind: string;
    readonly state: string | null;
    readonly worker: string | null;
    readonly message: string | null;
    readonly stack: string | null;
}

interface EventCounts {
    readonly enqueued: number;
    readonly started: number;
    readonly succeeded: number;
    readonly failed: number;
    readonly canceled: number;
    readonly attempts: number;
    readonly attemptsFailed: number;
    readonly attemptsLost: number;
}

interface EventPosition {
    readonly xid: number;
    readonly id: number;
}

interface Examination {
    readonly healthy: boolean;
    readonly findings: readonly Finding[];
    readonly checks: readonly Checked[];
}

interface ExamineOptions {
    readonly limits?: Partial<DoctorLimits>;
    readonly deep?: boolean;
    readonly onCheck?: (title: string, nth: number, of: number) => void;
    readonly now?: () => number;
}

interface Examined {
    readonly oldestAt: Date | null;
    readonly jobs: number;
    readonly complete: boolean;
}

interface ExplainReason {
    readonly code: string;
    readonly blocking: boolean;
    readonly sentence: string;
    readonly data: Record<string, unknown>;
}

interface Facet {
    readonly values: {
        value: string;
        label: string;
        count: number;
    }[];
    readonly counted: number;
    readonly complete: boolean;
}

interface FastifyRequest {
        refusedWith: string | null;
    }

interface FeedEntry extends FeedEvent {
    readonly tenant: string | null;
    readonly xid: number;
}

interface FeedEvent {
    readonly id: number;
    readonly at: Date;
    readonly type: string;
    readonly jobIds: number[];
    readonly queueId: number | null;
    readonly actor: string | null;
    readonly reason: string | null;
    readonly data: unknown;
}

interface FeedPage {
    readonly cursor: string;
    readonly events: FeedEntry[];
    readonly counts: TenantCounts[];
    readonly full: boolean;
}

interface Fence extends JobAttempt {
    readonly lease: number;
}

interface Finding {
    readonly code: string;
    readonly severity: 'problem' | 'warning' | 'note';
    readonly sentence: string;
    readonly fix: string;
    readonly data: Readonly<Record<string, unknown>>;
}

interface FireOptions {
    readonly limit?: number;
    readonly schedule?: number;
    readonly lateAfterMs?: number;
}

interface Fired {
    readonly fired: number;
    readonly more: boolean;
    readonly failures: readonly {
        readonly tenant: string;
        readonly name: string;
        readonly error: unknown;
    }[];
}

interface Firing {
    readonly id: number;
    readonly slot: Date;
    readonly lastSlot: Date;
    readonly slots: number | null;
    readonly firedAt: Date;
    readonly outcome: (typeof FIRING_OUTCOMES)[number];
    readonly jobId: number | null;
    readonly note: string | null;
    readonly actor: string | null;
}

interface FoundEmbedded {
    url: string;
    pid: number;
    ownerPid: number | undefined;
}

interface FoundJob extends ListedJob {
    readonly input: unknown;
    readonly worker: string | null;
    readonly errorClass: string | null;
    readonly errorFingerprint: string | null;
    readonly startedAt: Date | null;
}

interface FoundPage {
    readonly rows: readonly FoundJob[];
    readonly next: string | null;
    readonly examined: Examined;
    readonly keywords: readonly {
        readonly keyword: string;
        readonly fields: readonly string[];
    }[];
}

interface FreshApp extends App {
    readonly clock: PinnedClock;
    dispose(): Promise<void>;
}

interface FreshStore extends Store {
    readonly url: string | undefined;
    dispose(): Promise<void>;
}

interface HandlerContext {
    readonly jobId: number;
    readonly attempt: number;
    readonly kind: string;
    readonly queue: string;
    readonly job: ClaimedJob;
    readonly signal: AbortSignal;
    readonly log: JobLogger;
    readonly measure: Measure;
    readonly previous: Progress | null;
    readonly cursor: unknown;
    progress(value: unknown): Promise<void>;
    report(items: readonly unknown[], cursor?: unknown, end?: ReportEnd): Promise<Reported>;
    usage(tokens: number): Promise<Reported>;
    heartbeat(): Promise<void>;
    commit<T>(work: (tx: never) => Promise<T>): Promise<T>;
    completeIn<T>(tx: never, result?: T): Promise<T>;
    enqueue(...args: never[]): Promise<unknown>;
}

interface HeldJob {
    readonly id: number;
    readonly queue: string;
    readonly kind: string;
    readonly attempt: number;
    readonly claimedAt: Date;
    readonly startedAt: Date | null;
    readonly cancelRequested: boolean;
}

interface HoldfastOptions<Scheduled extends readonly DefinedJob[] = readonly DefinedJob[]> extends DatabaseOptions {
    readonly jobs?: readonly DefinedJob[];
    readonly queues?: Readonly<Record<string, QueueDeclaration>>;
    readonly schedules?: {
        readonly [Index in keyof Scheduled]: ScheduleDeclaration<Scheduled[Index]>;
    };
    readonly tenant?: string;
    readonly settings?: LocalSettings;
    readonly log?: Log | false;
    readonly webhooks?: WebhookOptions;
}

interface IndexedFilter {
    readonly tenant?: string;
    readonly queue?: string;
    readonly state?: State;
    readonly kind?: string;
    readonly target?: string;
    readonly key?: string;
    readonly limit?: number;
    readonly after?: string;
}

interface Item {
    readonly id: number;
    readonly jobId: number;
    readonly attempt: number;
    readonly collection: string;
    readonly key: string;
    readonly data: unknown;
    readonly createdAt: Date;
}

interface Job {
    readonly id: number;
    readonly tenant: string;
    readonly queue: string;
    readonly preset: string;
    readonly kind: string;
    readonly state: State;
    readonly status: string;
    readonly input: unknown;
    readonly key: string | null;
    readonly subject: string | null;
    readonly target: string | null;
    readonly priority: number;
    readonly initialPriority: number;
    readonly attempt: number;
    readonly maxRetries: number;
    readonly failures: number;
    readonly losses: number | null;
    readonly interruptions: number | null;
    readonly leaseOwner: string | null;
    readonly leaseExpiresAt: Date | null;
    readonly heartbeatAt: Date | null;
    readonly cancelRequested: boolean;
    readonly claimedAt: Date | null;
    readonly startedAt: Date | null;
    readonly finishedAt: Date | null;
    readonly visibleAt: Date;
    readonly durationMs: number | null;
    readonly createdAt: Date;
    readonly updatedAt: Date;
    readonly createdBy: string;
    readonly reason: string | null;
    readonly lastError: string | null;
    readonly lastCursor: unknown;
    readonly progress: unknown;
    readonly progressCount: number;
    readonly resultCount: number;
    readonly itemGoal: number | null;
    readonly lastProgressAt: Date | null;
    readonly tokensUsed: number;
    readonly tokenLimit: number | null;
    readonly result: unknown;
    readonly labels: Readonly<Record<string, string>> | null;
    readonly trace: string | null;
    readonly parentId: number | null;
    readonly retryOf: number | null;
}

interface JobAttempt {
    readonly jobId: number;
    readonly attempt: number;
}

interface JobContext extends Omit<WorkerContext, 'commit' | 'completeIn' | 'enqueue'> {
    commit<T>(work: (tx: Session) => Promise<T>): Promise<T>;
    completeIn<T = undefined>(tx: Transaction, result?: T): Promise<T>;
    enqueue<J extends DefinedJob>(job: J, ...args: InputAndOptions<InputOf<J>, EnqueueOptions>): Promise<JobHandle<AsJson<ResultOf<J>>>>;
}

interface JobDefinition {
    readonly kind: string;
    readonly queue: string;
    readonly '~types'?: {
        readonly input: unknown;
        readonly output: unknown;
        readonly result: unknown;
    };
}

interface JobEnd extends JobFailure {
    readonly state: EndState;
    readonly finishedAt: Date;
    readonly result: unknown;
    readonly errorFingerprint: string | null;
}

interface JobFailure {
    readonly jobId: number;
    readonly attempt: number;
    readonly reason: string | null;
    readonly errorClass: string | null;
    readonly errorMessage: string | null;
    readonly errorStack: string | null;
}

interface JobFilter extends IndexedFilter {
    readonly worker?: string;
    readonly errorFingerprint?: string;
    readonly attemptsMin?: number;
    readonly attemptsMax?: number;
    readonly createdAfter?: Date | string;
    readonly createdBefore?: Date | string;
    readonly finishedAfter?: Date | string;
    readonly finishedBefore?: Date | string;
}

interface JobFlow {
    readonly now: Date;
    readonly countedTo: Date | null;
    readonly places: Readonly<Record<(typeof PLACES)[number], Count>>;
    readonly ended: {
        readonly succeeded: number;
        readonly failed: number;
        readonly canceled: number;
    };
    readonly perMinute: Readonly<Record<'enqueued' | 'started' | 'ended' | 'succeeded' | 'failed' | 'attempts_failed', number>>;
    readonly slots: number;
    readonly busy: number;
    readonly oldestReadyAt: Date | null;
    readonly nextDueAt: Date | null;
    readonly counts: {
        readonly jobs: Count;
        readonly blocked_targets: Count;
    } & Readonly<Record<'queues' | 'kinds' | 'schedules' | 'late_schedules' | 'workers' | 'firing_alerts' | 'error_groups', number>>;
}

interface JobHandle<Result = unknown> extends AnyJobHandle<Result> {
    job(): Promise<Job>;
    cancel(options?: CancelOptions): ReturnType<JobCommands['cancel']>;
    explain(): Promise<ExplainReason[]>;
}

interface JobLogger {
    (message: string, fields?: object): void;
    debug(message: string, fields?: object): void;
    info(message: string, fields?: object): void;
    warn(message: string, fields?: object): void;
    error(message: string, fields?: object): void;
}

interface JobOptions<Kind extends string, Output> {
    readonly kind: Kind;
    readonly queue?: string;
    readonly maxRetries?: number;
    readonly timeoutMs?: number;
    readonly priority?: number;
    readonly key?: FromInput<Output>;
    readonly target?: FromInput<Output>;
    readonly search?: readonly string[];
}

interface JobPage {
    readonly jobs: readonly ReceivedBody<AnswerAt<List>['jobs'][number]>[];
    readonly next: string | null;
}

interface JobWhereabouts {
    readonly jobId: number;
    readonly tenant: string;
    readonly queue: string;
    readonly trigger: string | null;
    readonly state: State;
}

interface Key<V extends ConfigValue, Default extends V | undefined = V | undefined> {
    readonly default: Default;
    readonly env?: readonly string[];
    readonly secret?: boolean;
    readonly of: string;
    readonly read: (value: unknown) => V | undefined;
    readonly must: string;
}

interface KeywordTerm {
    readonly is: 'keyword';
    readonly keyword: string;
}

interface Kind {
    readonly kind: string;
    readonly queue: string;
    readonly maxRetries: number | null;
    readonly timeoutMs: number | null;
    readonly priority: number | null;
    readonly key: string | null;
    readonly target: string | null;
    readonly search: readonly string[] | null;
    readonly byProgram: readonly string[];
    readonly declaredAt: Date;
    readonly declaredBy: string | null;
}

interface KindDepth {
    readonly queueId: number;
    readonly kind: string;
    readonly jobs: number;
}

interface KindStats {
    readonly kind: string;
    readonly firstSeenAt: Date;
    readonly lastSeenAt: Date;
    readonly lastHour: Totals;
    readonly lastDay: Totals;
    readonly trend: readonly {
        readonly at: Date;
        readonly attempts: number;
        readonly failed: number;
    }[];
    readonly lastError: {
        readonly fingerprint: string | null;
        readonly message: string;
        readonly at: Date;
        readonly jobId: number;
    } | null;
    readonly version: string | null;
    readonly failsSinceVersion: string | null;
    readonly versions: readonly KindVersion[];
    readonly queueIds: readonly number[];
}

interface KindVersion {
    readonly version: string;
    readonly firstSeenAt: Date;
    readonly lastSeenAt: Date;
    readonly attempts: number;
    readonly failed: number;
}

interface KnexLike {
    raw(text: string, values: any): PromiseLike<any>;
    isTransaction?: boolean;
}

interface KyselyLike {
    executeQuery(query: any): Promise<{
        readonly rows: unknown[];
    }>;
    readonly isTransaction: boolean;
}

interface Layers {
    readonly flags: Layer;
    readonly env: Layer;
    readonly database: Layer;
    readonly files: readonly Layer[];
}

interface LeasePort {
    openLease(worker: string, leaseMs: number): Promise<{
        lease: number;
        expiresAt: Date;
    }>;
    renew(leases: readonly number[], options?: RenewOptions): Promise<Renewed[]>;
    releaseUnlisted(lease: number, known: readonly JobAttempt[], olderThanMs: number): Promise<number>;
    closeLease(lease: number, reason?: string, started?: readonly number[]): Promise<number>;
    breaks?(): number;
}

interface Limit {
    readonly min: number;
    readonly default: number;
    readonly hardMax: number;
    readonly unit: 'bytes' | 'levels' | 'characters' | 'ms' | 'count';
    readonly of: string;
}

interface ListedJob {
    readonly id: number;
    readonly queue: string;
    readonly kind: string;
    readonly state: State;
    readonly status: string;
    readonly priority: number;
    readonly attempt: number;
    readonly maxRetries: number;
    readonly key: string | null;
    readonly target: string | null;
    readonly leaseOwner: string | null;
    readonly createdAt: Date;
    readonly visibleAt: Date;
    readonly finishedAt: Date | null;
    readonly reason: string | null;
    readonly lastError: string | null;
}

interface ListeningMetrics {
    readonly url: string;
    close(): Promise<void>;
}

interface Live extends Counters {
    readonly cancelRequested: boolean;
    readonly cancelReason?: string | null;
}

interface LiveEvent extends EventPosition {
    readonly tenant: string | null;
    readonly cursor: string;
    readonly text: string;
    readonly isJob: boolean;
}

interface LocalSettings {
    readonly overrides?: Readonly<Partial<SettingsByName>>;
    readonly defaults?: Readonly<Partial<SettingsByName>>;
}

interface Log {
    debug(fields: LogFields, message: string): void;
    info(fields: LogFields, message: string): void;
    warn(fields: LogFields, message: string): void;
    error(fields: LogFields, message: string): void;
    isLevelEnabled?(level: string): boolean;
    attempt?(ended: EndedAttempt): void;
}

interface LogFields {
    readonly event: string;
    readonly [field: string]: unknown;
}

interface LoggedLines extends Fence {
    readonly text: string;
}

interface LostAttempts {
    readonly queueId: number;
    readonly minute: Date;
    readonly lost: number;
}

interface Made {
    readonly jobId: number;
}

interface Maintenance {
    readonly open: boolean;
    readonly since: Date | null;
    readonly until: Date | null;
    readonly pausedBy: string | null;
    readonly note: string | null;
}

interface MatchCount {
    readonly count: number;
    readonly exact: boolean;
}

interface MatchPage {
    readonly ids: readonly number[];
    readonly next: string | null;
}

interface MatchScope {
    readonly tenant?: string;
    readonly createdBefore: Date | string;
}

interface Matching {
    readonly tenant: string;
    readonly q: string;
    readonly until: Date;
}

interface MatchingJobs {
    ids(filter: SearchFilter, scope: MatchScope & {
        readonly limit?: number;
        readonly after?: string;
    }): Promise<MatchPage>;
    count(filter: SearchFilter, scope: MatchScope & {
        readonly max?: number;
        readonly budgetMs?: number;
    }): Promise<MatchCount>;
}

interface Measure {
    external<T>(service: string, operation: string, work: MeasuredCall<T>): Promise<T>;
    s3<T>(operation: string, bucket: string, work: MeasuredCall<T>): Promise<T>;
    cloudfront<T>(operation: string, work: MeasuredCall<T>): Promise<T>;
    db<T>(queryType: string, work: MeasuredCall<T>): Promise<T>;
    image<T>(work: MeasuredCall<T>): Promise<T>;
}

interface Measurement {
    readonly of: keyof Measure;
    readonly labels: readonly string[];
    readonly seconds: number;
    readonly error: string | null;
}

interface MetricsAddress {
    readonly host: string;
    readonly port: number;
    readonly token?: string | undefined;
    readonly loopback: boolean;
}

interface MetricsSource {
    readonly contentType: string;
    text(): Promise<string>;
}

interface MigrationResult extends MigrationStatus {
    readonly applied: string[];
}

interface MigrationStatus {
    readonly schema: string;
    readonly version: number;
    readonly latest: number;
    readonly pending: string[];
    readonly functions: 'missing' | 'stale' | 'newer' | 'current';
}

interface NamedJob {
    readonly id: number;
    readonly queueId: number;
    readonly kind: string;
    readonly state: State;
    readonly status: string;
}

interface NewJob {
    readonly queue: string;
    readonly preset?: PresetName;
    readonly kind: string;
    readonly input?: unknown;
    readonly key?: string;
    readonly target?: string;
    readonly subject?: string;
    readonly priority?: number;
    readonly runAt?: Date | string;
    readonly delayMs?: number;
    readonly pending?: boolean;
    readonly maxRetries?: number;
    readonly maxAttempts?: number;
    readonly timeoutMs?: number;
    readonly tokenLimit?: number;
    readonly itemGoal?: number;
    readonly collection?: string;
    readonly createdBy?: string;
    readonly trace?: string;
    readonly labels?: Record<string, string>;
    readonly parentId?: number;
}

interface NewKey extends Attribution {
    readonly tenant?: string;
    readonly name: string;
    readonly scopes: readonly string[];
    readonly expiresAt?: Date | string;
    readonly rateLimit?: number;
}

interface NewSubject extends Attribution {
    readonly queue: string;
    readonly name: string;
    readonly kind: string;
    readonly input?: unknown;
    readonly priority?: number;
    readonly staleAfterMs?: number | null;
    readonly tenant?: string;
}

interface NewWebSession {
    readonly token: string;
    readonly keyId: number | null;
    readonly proof: Uint8Array | null;
    readonly idleMs: number;
    readonly lifetimeMs: number;
    readonly countMax: number;
}

interface NewWebhook extends Attribution {
    readonly tenant?: string;
    readonly name: string;
    readonly url: string;
    readonly secret?: string;
    readonly rules?: readonly string[];
}

interface Next {
    readonly place: Place;
    readonly state: State;
    readonly outcome: AttemptOutcome;
    readonly counters: Counters;
    readonly reason: string | null;
    readonly dueInMs: number | null;
    readonly ended: EndState | null;
}

interface NotificationHandler {
    received(payload: string): void;
    ended(): void;
}

interface NotificationSubscription {
    end(): Promise<void>;
}

interface OfTenant {
    readonly tenant?: string;
}

interface Operation {
    readonly summary: string;
    readonly parameters?: readonly Parameter[];
    readonly requestBody?: {
        readonly required: boolean;
        readonly content: Content;
    };
    readonly responses: Readonly<Record<string, {
        readonly description: string;
        readonly content?: Content;
    }>>;
}

interface OutboxDepth {
    readonly unsent: number;
    readonly oldestAt: Date | null;
    readonly sent: number;
}

interface OutboxFacts {
    readonly queueId: number;
    readonly unsent: number;
    readonly sent: number;
    readonly oldestAt: Date | null;
}

interface OutboxGauge {
    readonly queueId: number;
    readonly unsent: number;
    readonly oldestAt: Date | null;
    readonly sent: number;
}

interface OutboxResult {
    readonly id: number;
    readonly dueInMs: number | null;
}

interface OutboxRow {
    readonly id: number;
    readonly jobId: number;
    readonly queue: string;
    readonly sends: number | null;
    readonly message: 'claimable' | 'failed' | null;
}

interface OverviewProblem extends Omit<ProblemFacts, 'data'> {
    readonly id: string;
    readonly severity: ProblemSeverity;
    readonly text: string;
    readonly next: string;
    readonly actions: readonly ProblemAction[];
}

interface OverviewRead {
    readonly problems: readonly OverviewProblem[];
    readonly problemsCapped: boolean;
    readonly flow: JobFlow;
}

interface Page<T> {
    readonly rows: T[];
    readonly next: string | null;
}

interface Paging {
    readonly limit?: number;
    readonly after?: string;
}

interface Parameter {
    readonly name: string;
    readonly in: string;
    readonly required: boolean;
    readonly schema: Schema;
}

interface Patience {
    readonly waitMs: number;
    readonly deadlineMs: number;
}

interface Percentiles {
    readonly count: number;
    readonly p50: number | null;
    readonly p95: number | null;
    readonly p99: number | null;
}

interface PgLike {
    query(text: string, values: unknown[]): Promise<Rows>;
}

interface PgliteOptions {
    readonly dir?: string;
}

interface PinnedClock {
    now(): Promise<Date>;
    advance(ms: number): Promise<void>;
    set(to: Date): Promise<void>;
}

interface Policy {
    readonly order: PolicyValue<'order'>;
    readonly maxRetries: number | null;
    readonly retryBaseMs: number | null;
    readonly retryFactor: number;
    readonly retryCapMs: number | null;
    readonly jitterLow: number;
    readonly jitterHigh: number;
    readonly leaseMs: number | null;
    readonly heartbeatMs: number | null;
    readonly renewedBy: PolicyValue<'renewedBy'>;
    readonly onLeaseLost: PolicyValue<'onLeaseLost'>;
    readonly crashBudget: number | null;
    readonly onCancel: PolicyValue<'onCancel'>;
    readonly onShutdown: PolicyValue<'onShutdown'>;
    readonly serializeTargets: boolean;
    readonly onError: PolicyValue<'onError'>;
    readonly dedup: PolicyValue<'dedup'>;
    readonly dedupBy: PolicyValue<'dedupBy'>;
    readonly strict: boolean;
    readonly timeoutMs: number | null;
    readonly itemsKey: string | null;
    readonly externalTrigger: string | null;
    readonly maxRunning: number | null;
    readonly maxRunningPerTarget: number;
    readonly rateLimit: number | null;
    readonly ratePeriodMs: number;
    readonly rateBurst: number | null;
    readonly ratePerKey: boolean;
    readonly retentionMs: number | null;
    readonly recordStarts: boolean;
    readonly unknownKinds: PolicyValue<'unknownKinds'>;
}

interface PoolGauge {
    readonly busy: number;
    readonly idle: number;
    readonly waiting: number;
}

interface PostgresJsLike {
    unsafe(text: string, values?: any[]): PromiseLike<readonly unknown[]>;
    savepoint: unknown;
}

interface PostgresOptions {
    readonly url: string;
    readonly connections?: number;
    readonly applicationName?: string;
}

interface Presence {
    readonly worker: string;
    readonly host: string;
    readonly pid: number;
    readonly version: string;
    readonly appVersion?: string | null;
    readonly kinds: readonly string[];
    readonly queues: readonly string[];
    readonly tenant: string;
    readonly slots: number;
    readonly busy: number;
    readonly lagMs: number;
    readonly draining: boolean;
}

interface PresencePort {
    heartbeat(presence: Presence): Promise<{
        drain: boolean;
    }>;
    removeWorker(worker: string): Promise<void>;
    unpark(queues: readonly string[], kinds: readonly string[], tenant?: string): Promise<number>;
    depth(queues: readonly string[], countMax: number, tenant?: string): Promise<number>;
    recordScale(worker: string, decision: ScaleDecision): Promise<void>;
}

interface PresetJob {
    readonly id: number;
    readonly tenant: string;
    readonly queue: string;
    readonly preset: PresetName;
    readonly strict: boolean;
    readonly state: State;
    readonly attempt: number;
    readonly target: string | null;
}

interface Principal {
    readonly name: string;
    readonly keyId: number | null;
    readonly tenant: string;
    readonly scopes: readonly Scope[];
    readonly rateLimit: number | null;
    readonly expiresAt: Date | null;
    readonly open: boolean;
    readonly csrfToken: string | null;
    readonly isHosted?: true;
}

interface PrincipalOptions {
    readonly mayBeOpen: boolean;
    readonly adminKey?: string | undefined;
    readonly linkKey?: string | undefined;
    readonly hosted?: HostedCaller | undefined;
    readonly basePath: BasePath;
}

interface PrismaLike {
    $queryRawUnsafe<T = unknown>(text: string, ...values: unknown[]): PromiseLike<T>;
}

interface ProblemError {
    readonly fingerprint: string | null;
    readonly message: string;
    readonly firstVersion: string | null;
}

interface ProblemFacts {
    readonly type: ProblemType;
    readonly subject: ProblemSubject;
    readonly since: Date | null;
    readonly numbers: Readonly<Record<string, number>>;
    readonly error: ProblemError | null;
    readonly alertId: number | null;
    readonly data: Readonly<Record<string, unknown>>;
}

interface ProblemSubject {
    readonly type: (typeof SUBJECT_TYPES)[number];
    readonly name: string;
    readonly queue: string | null;
    readonly kind: string | null;
    readonly jobId: number | null;
}

interface Progress {
    readonly cursor: unknown;
    readonly progress: unknown;
    readonly progressCount: number;
    readonly resultCount: number;
    readonly tokensUsed: number;
    readonly lastProgressAt: Date;
}

interface PruneRecordsOptions {
    readonly eventsMs?: number;
    readonly requestsMs?: number;
    readonly limit?: number;
}

interface Queue extends Policy {
    readonly id: number;
    readonly tenant: string;
    readonly name: string;
    readonly preset: PresetName;
    readonly pausedAt: Date | null;
    readonly pausedBy: string | null;
    readonly pauseReason: string | null;
    readonly createdAt: Date;
}

interface QueueChanges {
    readonly preset?: PresetName;
    readonly policy?: Partial<Policy>;
}

interface QueueCounts {
    readonly queueId: number;
    readonly queued: number;
    readonly running: number;
    readonly delayed: number;
    readonly waiting: number;
    readonly blocked: number;
    readonly capped: readonly CountedPlace[];
}

interface QueueFacts {
    readonly queueId: number;
    readonly tenant: string;
    readonly queue: string;
    readonly paused: boolean;
    readonly counts: Readonly<Record<string, number>>;
    readonly countedMax: number;
    readonly oldestReady: Date | null;
    readonly blockedSince: Date | null;
}

interface QueueGauge {
    readonly queueId: number;
    readonly tenant: string;
    readonly queue: string;
    readonly paused: boolean;
    readonly counts: Readonly<Partial<Record<State, number>>>;
    readonly countedMax: number;
    readonly oldestReady: Date | null;
    readonly blockedSince: Date | null;
}

interface QueueMetrics {
    readonly tenant: string;
    readonly queue: string;
    readonly queueId: number;
    readonly windowSec: number;
    readonly depth: number;
    readonly priorities: Readonly<Record<string, number>>;
    readonly enqueued: number;
    readonly started: number;
    readonly succeeded: number;
    readonly failed: number;
    readonly canceled: number;
    readonly endedAfterFailures: number;
    readonly succeededAfterFailures: number;
    readonly attemptsFailed: number;
    readonly attemptsLost: number;
    readonly waits: number;
    readonly failedRate: number | null;
    readonly retrySuccessRate: number | null;
    readonly averageWaitMs: number | null;
    readonly averageRunMs: number | null;
    readonly oldestReadyAt: Date | null;
}

interface QueueNow {
    readonly priorities: readonly (Count & {
        readonly priority: number;
    })[];
    readonly ready: Count;
    readonly oldestReadyAt: Date | null;
    readonly running: Count;
    readonly delayed: Count;
    readonly waiting: Count;
    readonly blocked: Count;
    readonly limits: readonly {
        readonly code: string;
        readonly sentence: string;
    }[];
    readonly workers: number;
    readonly slots: number;
}

interface QueueOptions extends Attribution {
    readonly preset?: PresetName;
    readonly policy?: Partial<Policy>;
    readonly tenant?: string;
    readonly ifMissing?: boolean;
}

interface QueueStats extends Pick<QueueMetrics, 'queue' | 'tenant' | 'depth' | 'priorities' | 'oldestReadyAt'> {
    readonly windows: Readonly<Record<string, WindowStats>>;
}

interface RangeTerm {
    readonly is: 'range';
    readonly field: RangeField;
    readonly path?: readonly string[];
    readonly not: boolean;
    readonly from?: Bound;
    readonly to?: Bound;
}

interface Reconciled {
    readonly examined: number;
    readonly kept: number;
    readonly redriven: number;
    readonly settled: number;
    readonly unknown: number;
    readonly unrecognized: number;
    readonly duplicates: number;
    readonly deadLettersAdded: number;
    readonly complete: boolean;
}

interface RecordedCall {
    readonly agoMs: number;
    readonly tenant: string;
    readonly actor: string;
    readonly keyId: number | null;
    readonly operation: string;
    readonly method: string;
    readonly path: string;
    readonly status: number;
    readonly code: string | null;
    readonly reason: string | null;
    readonly requestId: string;
    readonly address: string | null;
}

interface RedriveOptions extends Attribution {
    readonly jobIds?: readonly number[];
    readonly limit?: number;
}

interface Redriven extends Omit<Reconciled, 'deadLettersAdded' | 'kept' | 'duplicates'> {
    readonly retried: readonly {
        readonly jobId: number;
        readonly as: number;
    }[];
    readonly refused: readonly {
        readonly jobId: number;
        readonly problem: string;
    }[];
    readonly left: number;
}

interface RemoteWorkOptions extends Omit<WorkOptions, 'processes'> {
    readonly server: TransportOptions;
    readonly jobs: readonly DefinedJob[];
    readonly log?: Log | false;
}

interface RenewOptions {
    readonly seen?: readonly JobAttempt[] | undefined;
    readonly deadlineMs?: number;
}

interface Renewed {
    readonly lease: number;
    readonly alive: boolean;
    readonly expiresAt: Date | null;
    readonly cancel: readonly JobAttempt[];
    readonly revoked: readonly JobAttempt[];
}

interface Report extends Fence {
    readonly items?: readonly unknown[];
    readonly cursor?: unknown;
    readonly progress?: unknown;
    readonly tokens?: number;
    readonly extendMs?: number;
    readonly done?: boolean;
    readonly doneReason?: string;
    readonly result?: unknown;
    readonly seq?: number;
}

interface ReportEnd {
    readonly done?: boolean;
    readonly doneReason?: string;
    readonly result?: unknown;
}

interface Reported {
    readonly done: boolean;
    readonly doneReason: string | null;
    readonly newItems: number;
    readonly duplicateItems: number;
    readonly progressCount: number;
    readonly resultCount: number;
    readonly tokensUsed: number;
    readonly tokenLimit: number | null;
    readonly cancelRequested: boolean;
    readonly expiresAt: Date | null;
}

interface ResultSource {
    ends(jobIds: readonly number[]): Promise<readonly JobEnd[]>;
    tenantsOf(jobIds: readonly number[]): Promise<ReadonlyMap<number, unknown>>;
}

interface Route {
    readonly name: string;
    readonly endpoint: Endpoint;
    readonly handle: (call: Call) => Promise<RouteAnswer>;
}

interface RouteAnswer {
    readonly status: PropertyKey;
    readonly headers?: Readonly<Record<string, string>>;
    readonly body?: unknown;
}

interface SavedView {
    readonly id: number;
    readonly tenant: string;
    readonly name: string;
    readonly q: string;
    readonly columns: string[] | null;
    readonly sort: string | null;
    readonly createdAt: Date;
    readonly createdBy: string | null;
    readonly updatedAt: Date;
    readonly updatedBy: string | null;
}

interface ScaleDecision {
    readonly group: string;
    readonly tenant: string;
    readonly from: number;
    readonly to: number;
    readonly depth: number;
    readonly reason: 'depth' | 'wait';
}

interface ScaleEvent {
    readonly at: Date;
    readonly group: string;
    readonly from: number;
    readonly to: number;
    readonly depth: number | null;
    readonly reason: string | null;
    readonly worker: string | null;
}

interface Schedule extends ScheduleFields {
    readonly priority: number;
    readonly id: number;
    readonly tenant: string;
    readonly name: string;
    readonly pausedAt: Date | null;
    readonly pausedBy: string | null;
    readonly pauseNote: string | null;
    readonly nextSlot: Date;
    readonly nextRunAt: Date;
    readonly lastRunAt: Date | null;
    readonly waitingSlot: Date | null;
    readonly revision: number;
    readonly declared: Partial<ScheduleFields> | null;
    readonly overrides: readonly FieldName[];
    readonly createdAt: Date;
    readonly updatedAt: Date;
    readonly createdBy: string | null;
    readonly windowSince: Date | null;
    readonly windowUntil: Date | null;
    readonly windowBy: string | null;
    readonly windowNote: string | null;
    readonly lateMs: number;
}

interface ScheduleFields {
    readonly description: string | null;
    readonly queue: string;
    readonly kind: string;
    readonly input: unknown;
    readonly subject: string | null;
    readonly priority: number | null;
    readonly key: string | null;
    readonly target: string | null;
    readonly expression: string;
    readonly timeZone: string;
    readonly enabled: boolean;
    readonly catchUp: (typeof CATCH_UPS)[number];
    readonly catchUpMax: number;
    readonly overlap: (typeof OVERLAPS)[number];
    readonly jitterMs: number;
}

interface ScheduleGauge {
    readonly tenant: string;
    readonly name: string;
    readonly lastRunAt: Date | null;
}

interface ScheduleOwner {
    readonly tenant?: string;
}

interface ScheduleReason {
    readonly code: string;
    readonly blocking: boolean;
    readonly sentence: string;
    readonly data: Readonly<Record<string, unknown>>;
}

interface ScheduleRun {
    readonly jobId: number;
    readonly deduplicated: boolean;
}

interface ScheduleRunFacts {
    readonly tenant: string;
    readonly name: string;
    readonly lastRunAt: Date | null;
}

interface Schema {
    readonly $ref?: string;
    readonly type?: string;
    readonly description?: string;
    readonly default?: unknown;
    readonly const?: unknown;
    readonly enum?: readonly unknown[];
    readonly format?: string;
    readonly minimum?: number;
    readonly maximum?: number;
    readonly minLength?: number;
    readonly maxLength?: number;
    readonly minItems?: number;
    readonly maxItems?: number;
    readonly items?: Schema;
    readonly anyOf?: readonly Schema[];
    readonly properties?: Readonly<Record<string, Schema>>;
    readonly required?: readonly string[];
    readonly additionalProperties?: Schema | boolean;
}

interface SchemaIssue {
    readonly message: string;
    readonly path?: readonly (PropertyKey | {
        readonly key: PropertyKey;
    })[] | undefined;
}

interface SearchFilter {
    readonly terms: readonly Term[];
}

interface SearchScope {
    readonly tenant?: string;
    readonly createdBefore?: Date | string;
    readonly limit?: number;
    readonly after?: string;
    readonly budgetMs?: number;
    readonly rowsMax?: number;
}

interface SendResult {
    readonly arrived: boolean;
    readonly status: number | null;
    readonly error: string | null;
}

interface SentCall {
    readonly query?: object | undefined;
    readonly body?: unknown;
    readonly headers?: Readonly<Record<string, string>>;
    readonly signal?: AbortSignal | undefined;
    readonly repeatable?: boolean;
    readonly timeoutMs?: number;
}

interface SeriesOptions {
    readonly tenant?: string;
    readonly span?: SpanName;
    readonly queue?: string;
    readonly kind?: string;
}

interface SeriesPoint extends Totals {
    readonly at: Date;
}

interface ServerContext {
    readonly store: Store;
    readonly seal: Seal;
    readonly waits: Waits;
    readonly limits: HttpLimits;
    readonly principals: Principals;
    readonly intake: Intake;
    readonly inFlight: InFlightRequests;
    readonly queuePresets: QueuePresets;
    readonly chores: Chores;
    readonly redact: Redact;
    readonly isRedacted: (path: readonly string[]) => boolean;
    readonly webhooks: Webhooks;
    readonly metrics: ServerMetrics;
    facts(): Promise<DatabaseFacts>;
    readonly traces: Traces | undefined;
    settingOrigin(name: string): string | undefined;
    readonly log?: Log | undefined;
    readonly stopping: AbortSignal;
    readonly routes: readonly Route[];
    readonly docs: ApiDocs;
    readonly readOnly: boolean;
    readonly basePath: BasePath;
    dashboard(): DashboardBundle;
    readonly sessions: WorkerSessions;
    readonly hub: Hub;
    readonly results: Results;
}

interface ServerOptions extends ContextOptions {
    readonly limits?: Partial<HttpLimits>;
    readonly log?: Log | false;
    readonly checkAnswers?: boolean;
    readonly routes?: readonly Route[];
}

interface Session {
    query<Row>(text: string, values?: readonly unknown[], options?: CallOptions): Promise<Row[]>;
    script(text: string, options?: CallOptions): Promise<void>;
}

interface SettingValue {
    readonly name: SettingName;
    readonly value: number;
    readonly default: number;
    readonly min: number;
    readonly max: number;
    readonly of: string;
    readonly origin: 'default' | 'set';
    readonly updatedAt: Date | null;
    readonly updatedBy: string | null;
}

interface Snapshot {
    readonly xmax: number;
    readonly open: ReadonlySet<number>;
}

interface SqsBridge extends Trigger {
    relay(store: Store, options?: OfTenant & {
        log?: Log;
    }): Promise<{
        stop(): Promise<void>;
    }>;
    counts(): SqsCounts;
    status(store: Store, options?: OfTenant): Promise<SqsStatus>;
    reconcile(store: Store, options?: OfTenant & {
        limit?: number;
    }): Promise<Reconciled>;
    redrive(store: Store, options?: OfTenant & RedriveOptions): Promise<Redriven>;
    close(): void;
}

interface SqsDepth {
    readonly visible: number;
    readonly inFlight: number;
    readonly delayed: number;
}

interface SqsOptions extends SqsPlace {
    readonly queueUrl: string;
    readonly deadLetterUrl?: string;
    readonly trigger?: string;
    readonly send?: boolean;
    readonly resendMs?: number;
    readonly fallbackPollMs?: number;
    readonly deferMs?: number;
    readonly pollMs?: number;
    readonly reconcileMs?: number;
    readonly waitSeconds?: number;
}

interface SqsPlace {
    readonly client?: SQSClient;
    readonly endpoint?: string;
    readonly region?: string;
    readonly timeoutMs?: number;
}

interface SqsStatus {
    readonly outbox: OutboxDepth;
    readonly queue: SqsDepth;
    readonly deadLetters: SqsDepth | null;
}

interface StaleSubjectsOptions {
    readonly staleMs?: number;
    readonly everyMs?: number;
    readonly limit?: number;
}

interface StandardSchema<Input = unknown, Output = Input> {
    readonly '~standard': {
        readonly version: 1;
        readonly vendor: string;
        readonly validate: (value: unknown) => Validated<Output> | Promise<Validated<Output>>;
        readonly types?: {
            readonly input: Input;
            readonly output: Output;
        } | undefined;
    };
}

interface StateWordFilter {
    readonly queueIds: readonly number[];
    readonly states: readonly State[];
    readonly limit: number;
    readonly offset: number;
}

interface StatsSeries {
    readonly span: SpanName;
    readonly stepMs: number;
    readonly from: Date;
    readonly to: Date;
    readonly countedTo: Date | null;
    readonly points: readonly SeriesPoint[];
    readonly total: Totals;
}

interface Store {
    readonly database: Database;
    readonly schema: string;
    readonly enqueue: Producer['enqueue'];
    readonly enqueueMany: Producer['enqueueMany'];
    readonly publish: Producer['publish'];
    readonly work: Work;
    wakeups(tenant?: string): Wakeups;
    readonly commands: JobCommands;
    readonly bulk: BulkOperations;
    readonly savedViews: SavedViews;
    readonly queues: Queues;
    readonly kinds: Kinds;
    readonly workers: Workers;
    readonly settings: Settings;
    readonly tenants: Tenants;
    readonly keys: Keys;
    readonly webSessions: WebSessions;
    readonly schedules: Schedules;
    readonly subjects: Subjects;
    readonly alerts: Alerts;
    readonly webhooks: StoredWebhooks;
    readonly read: JobReads;
    readonly list: Listing;
    readonly search: JobSearch;
    readonly stats: Stats;
    readonly series: SeriesReads;
    readonly overview: Overview;
    readonly kindReads: KindReads;
    readonly errors: ErrorGroups;
    readonly gauges: Gauges;
    readonly feed: EventFeed;
    readonly audit: Audit;
    readonly presetViews: PresetViews;
    readonly upkeep: Upkeep;
    readonly scheduler: Scheduler;
    readonly triggers: Triggers;
    inScope(as: CallScope): Store;
    hasRoles(): Promise<boolean>;
    observe(observer: StoreObserver): () => void;
    settle(): Promise<void>;
    close(): Promise<void>;
}

interface StoreEnqueueOptions {
    readonly tenant?: string;
    readonly tx?: CallerTransaction;
    readonly idempotencyKey?: string;
    readonly wake?: boolean;
    readonly byKind?: boolean;
}

interface StoreObserver {
    queried(statement: string, seconds: number, error: unknown): void;
    enqueued(tenant: string, queue: string, count: number): void;
    refused(count: number): void;
}

interface StoreOptions {
    readonly url?: string;
    readonly pgliteDir?: string;
    readonly schema?: string;
    readonly migrate?: boolean;
    readonly connections?: number;
    readonly applicationName?: string;
    readonly notify?: boolean;
}

interface Subject {
    readonly id: number;
    readonly tenant: string;
    readonly queue: string;
    readonly name: string;
    readonly kind: string;
    readonly input: unknown;
    readonly priority: number;
    readonly lastSuccessAt: Date | null;
    readonly lastJobId: number | null;
    readonly staleAfterMs: number | null;
    readonly enabled: boolean;
    readonly addedAt: Date;
    readonly addedBy: string | null;
    readonly enqueuedAt: Date | null;
    readonly staleAt: Date;
}

interface SubjectChanges extends Attribution {
    readonly staleAfterMs?: number | null;
    readonly enabled?: boolean;
}

interface SubjectFilter {
    readonly tenant?: string;
    readonly queue?: string;
    readonly name?: string;
    readonly stale?: boolean;
    readonly afterId?: number;
    readonly limit?: number;
}

interface SubjectQuery extends Paging {
    readonly queue?: string;
    readonly name?: string;
    readonly stale?: boolean;
}

interface Subscriber {
    readonly tenant: string;
    readonly since: Cursor | undefined;
    readonly keyCheck?: KeyCheck | undefined;
    wake(): void;
    disconnect(): void;
}

interface SubscriberPosition {
    state: 'waiting' | 'live' | 'behind' | 'lost';
    next: number;
    filter: Cursor | undefined;
    notice: LiveEvent | undefined;
    lostAt: number;
    countsVersion: number;
}

interface TakenBulk extends Matching {
    readonly id: number;
    readonly page: number;
    readonly cursor: string | null;
    readonly matched: number;
}

interface TakenDelivery extends AlertFacts {
    readonly id: number;
    readonly attempt: number;
    readonly webhookId: number;
    readonly webhookTenant: string;
    readonly url: string;
    readonly secret: string;
    readonly type: (typeof NOTIFIED_EVENTS)[number];
    readonly eventId: number;
    readonly at: Date;
    readonly alertId: number;
    readonly tenant: string;
}

interface Tenant extends TenantLimits {
    readonly name: string;
    readonly updatedAt: Date | null;
}

interface TenantCounts extends Omit<QueueCounts, 'queueId'> {
    readonly tenant: string;
    readonly queue: string;
}

interface TenantLimits {
    readonly maxRunning: number | null;
    readonly maxLiveJobs: number | null;
    readonly enqueuesPerSecond: number | null;
    readonly payloadBytesMax: number | null;
}

interface TextTerm {
    readonly is: 'text';
    readonly field: TextField;
    readonly path?: readonly string[];
    readonly not: boolean;
    readonly values: readonly string[];
}

interface Totals extends EventCounts {
    readonly failedRate: number | null;
    readonly wait: Percentiles;
    readonly run: Percentiles;
}

interface Traceable {
    readonly queue: string;
    readonly kind: string;
    readonly trace?: string | undefined;
}

interface TransportOptions {
    readonly url: string | URL;
    readonly key?: string;
    readonly tenant?: string;
    readonly retries?: number;
    readonly fetch?: typeof globalThis.fetch;
}

interface Trigger {
    readonly name: string;
    counts(): Readonly<Record<string, number>>;
    attach(worker: TriggeredWorker): Promise<Triggering>;
}

interface TriggerName {
    readonly trigger: string;
    readonly tenant?: string;
}

interface TriggeredWorker {
    readonly store: Store;
    readonly tenant: string;
    readonly queues: readonly string[];
    readonly slots: number;
    readonly leaseMs: number;
    readonly wakeups: Wakeups | undefined;
    readonly log: Log | undefined;
}

interface Triggering {
    readonly wakeups: Wakeups;
    claim(ask: ClaimAsk, otherwise: (ask: ClaimAsk) => Promise<ClaimedJob[]>): Promise<ClaimedJob[]>;
    keep(known: readonly JobAttempt[], olderThanMs: number): void;
    ended(ended: {
        readonly jobId: number;
        readonly attempt: number;
        readonly accepted: boolean;
    }): void;
    stop(): Promise<void>;
    close(): Promise<void>;
}

interface ValueWithOrigin {
    readonly value: ConfigValue;
    readonly origin: string;
}

interface ViewFields {
    readonly name: string;
    readonly q: string;
    readonly columns?: readonly string[] | null;
    readonly sort?: string | null;
}

interface WaitOptions {
    readonly signal?: AbortSignal;
    readonly timeoutMs?: number;
}

interface Wakeups {
    on(queues: readonly string[], wake: () => void): () => void;
    readonly active: boolean;
}

interface WatchedWorker {
    readonly tenant: string;
    readonly kinds: readonly string[];
    stats(): {
        readonly slots: number;
        readonly busy: number;
        readonly leasesLost: number;
        readonly running: Readonly<Record<string, number>>;
    };
    depths(max: number): Promise<readonly {
        readonly kind: string;
        readonly jobs: number;
    }[]>;
}

interface WebSession {
    readonly keyId: number | null;
    readonly tenant: string;
    readonly name: string | null;
    readonly scopes: string[] | null;
    readonly rateLimit: number | null;
    readonly proof: Uint8Array | null;
    readonly expiresAt: Date;
    readonly state: KnownKey['state'];
}

interface Webhook {
    readonly id: number;
    readonly tenant: string;
    readonly name: string;
    readonly url: string;
    readonly rules: string[] | null;
    readonly enabled: boolean;
    readonly createdAt: Date;
    readonly createdBy: string | null;
}

interface WebhookOptions {
    readonly allow?: readonly string[];
    readonly ca?: string;
    readonly lookup?: Lookup;
    readonly timeoutMs?: number;
}

interface WindowFacts {
    readonly queueId: number;
    readonly windowSec: number;
    readonly depth: number;
    readonly priorities: Readonly<Record<string, number>>;
    readonly failedRate: number | null;
    readonly retrySuccessRate: number | null;
    readonly averageWaitMs: number | null;
}

interface WorkDeps {
    readonly database: Database;
    readonly queues: Queues;
    readonly notifier: Notifier;
    readonly schema: string;
    readonly observers: StoreObservers;
}

interface WorkGroup {
    readonly name?: string;
    readonly tenant?: string;
    readonly queues?: readonly string[];
    readonly defaultCount: number;
    readonly maxCount: number;
}

interface WorkHandle {
    drain(options?: DrainOptions): Promise<Drained>;
    readonly stopped: Promise<Drained>;
    idle(): Promise<void>;
    stats(): Promise<WorkerStats[]>;
    setConcurrency(slots: number): void;
}

interface WorkKind {
    readonly durationMs: number;
    readonly outcome: 'success' | 'fail' | 'cancel';
    readonly retryable?: boolean;
    readonly attempts?: number;
}

interface WorkOptions {
    readonly queues?: readonly string[];
    readonly concurrency?: number;
    readonly groups?: readonly WorkGroup[];
    readonly scaleIntervalMs?: number;
    readonly maxWaitMs?: number;
    readonly processes?: number;
    readonly name?: string;
    readonly version?: string;
    readonly pollMs?: number;
    readonly leaseMs?: number;
    readonly graceMs?: number;
    readonly metrics?: WorkerMetrics;
    readonly processSpans?: ProcessSpans;
    readonly onEnded?: (ended: EndedAttempt) => void;
    readonly onScale?: (decision: ScaleDecision) => void;
    readonly trigger?: Trigger;
}

interface WorkResult {
    readonly kind: string;
    readonly digest: string;
}

interface WorkTerms extends Pick<Policy, 'renewedBy' | 'leaseMs' | 'heartbeatMs'> {
    readonly name: string;
}

interface WorkerDetails extends WorkerRow {
    readonly heartbeatAgeMs: number;
    readonly jobs: readonly HeldJob[];
    readonly jobsCapped: boolean;
}

interface WorkerFacts {
    readonly tenant: string;
    readonly kinds: readonly string[];
    readonly queues: readonly string[];
    readonly alive: boolean;
    readonly draining: boolean;
}

interface WorkerRow extends Presence {
    readonly appVersion: string | null;
    readonly drainRequestedAt: Date | null;
    readonly drainRequestedBy: string | null;
    readonly drainReason: string | null;
    readonly startedAt: Date;
    readonly heartbeatAt: Date;
    readonly alive: boolean;
    readonly lease: number | null;
    readonly leaseExpiresAt: Date | null;
    readonly leases: number;
}

interface WorkerScope {
    readonly queues: readonly string[];
    readonly tenant?: string;
}

interface WorkerStats {
    readonly state: 'new' | 'working' | 'draining' | 'stopped';
    readonly lease: number | null;
    readonly slots: number;
    readonly busy: number;
    readonly buffered: number;
    readonly unwritten: number;
    readonly claimed: number;
    readonly outcomes: Readonly<Record<string, number>>;
    readonly refused: number;
    readonly leasesLost: number;
    readonly leaked: number;
    readonly meanRunMs: number;
    readonly claims: number;
    readonly lagMs: number;
    readonly running: Readonly<Record<string, number>>;
}

interface XminHolder {
    readonly holder: string;
    readonly ageSeconds: number;
}

type AbortCode = 'cancel' | 'timeout' | 'lease_lost' | 'shutdown' | 'token_limit';

type AlertCount = Pick<Alert, 'tenant' | 'rule' | 'state'> & {
    readonly count: number;
};

type AlertListing = NonNullable<QueryAt<EndpointAt<'GET', '/api/v1/alerts'>>>;

type AlertQuery = Paging & Pick<AlertListing, 'state' | 'rule'>;

type AlertRuleChange = Omit<ReceivedBody<RuleBody>, 'reason'>;

type AlertRuleName = keyof typeof ALERT_RULES;

type AlertState = (typeof ALERT_STATES)[number];

type AlertValue = Pick<Alert, 'tenant' | 'rule' | 'subject' | 'value'>;

type AlwaysKnown = 'name' | 'everyMs' | 'runs' | 'rowsTotal' | 'failures';

type AnswerAt<E> = E extends Endpoint ? {
    [S in keyof E['response']]: E['response'][S] extends z.ZodType ? z.output<E['response'][S]> : undefined;
}[keyof E['response']] : never;

type AnswerOf<E extends Endpoint> = {
    [S in keyof E['response']]: E['response'][S] extends z.ZodType ? EndpointAnswer<S, z.input<E['response'][S]>> : EndpointAnswer<S, undefined>;
}[keyof E['response']];

type Answered<P extends PathOf<'POST'>> = ReceivedBody<AnswerAt<EndpointAt<'POST', P>>>;

type AnyEndpoint = Contracts[keyof Contracts];

type ApiAlert = ReceivedBody<AnswerAt<EndpointAt<'GET', '/api/v1/alerts/{id}'>>>;

type ApiAlertEvent = ReceivedBody<AnswerAt<EndpointAt<'GET', '/api/v1/alerts/history'>>['events'][number]>;

type ApiAlertRule = ReceivedBody<AnswerAt<EndpointAt<'GET', '/api/v1/alert-rules'>>['rules'][number]>;

type ApiBulkOperation = ReceivedBody<AnswerAt<EndpointAt<'GET', '/api/v1/bulk/{id}'>>>;

type ApiBulkPreview = Omit<ReceivedBody<PreviewAnswer>, 'samples'> & {
    readonly samples: ReceivedBody<PreviewAnswer['samples'][number]>[];
};

type ApiBulkResult = ReceivedBody<AnswerAt<EndpointAt<'GET', '/api/v1/bulk/{id}/results'>>['results'][number]>;

type ApiChore = ReceivedBody<AnswerAt<EndpointAt<'GET', '/api/v1/upkeep'>>['chores'][number]>;

type ApiChorePass = ReceivedBody<AnswerAt<EndpointAt<'POST', '/api/v1/upkeep/{name}/run'>>>;

type ApiCountedQueue = WithPolicy<Counted>;

type ApiDelivery = ReceivedBody<AnswerAt<EndpointAt<'GET', '/api/v1/webhooks/{id}/deliveries'>>['deliveries'][number]>;

type ApiEnqueueManyOptions<In> = ApiEnqueueOptions & {
    each?(input: In, index: number): ApiJobExtras;
};

type ApiEnqueueOptions = ApiJobExtras & {
    readonly idempotencyKey?: string;
    readonly signal?: AbortSignal;
};

type ApiFiring = ReceivedBody<FiringRow>;

type ApiJobExtras = Partial<Omit<ReceivedBody<ClientJobBody>, 'kind' | 'input' | 'runAt'>> & {
    readonly runAt?: Date | string;
};

type ApiMaintenance = ReceivedBody<AnswerAt<EndpointAt<'GET', '/api/v1/maintenance-window'>>>;

type ApiPolicy = Partial<ApiQueue['policy']>;

type ApiQueue = WithPolicy<QueueAnswer>;

type ApiQueueStats = Omit<ReceivedBody<QueueStatsAnswer>, 'windows'> & {
    readonly windows: Readonly<Record<string, ReceivedBody<QueueStatsAnswer['windows'][string]>>>;
};

type ApiRow = ReceivedBody<AnswerAt<EndpointAt<'GET', '/api/v1/jobs/{id}'>>>;

type ApiSchedule = Omit<ReceivedBody<ScheduleAnswer>, 'declared' | 'overrides'> & {
    readonly declared: Partial<ScheduleFields> | null;
    readonly overrides: readonly FieldName[];
};

type ApiScheduleChange = Omit<ReceivedBody<ScheduleChangeBody>, 'reason'>;

type ApiScheduleReason = Omit<ReasonRow, 'data'> & {
    readonly data: Readonly<Record<string, unknown>>;
};

type ApiSetting = ReceivedBody<AnswerAt<EndpointAt<'GET', '/api/v1/settings/{name}'>>>;

type ApiSubject = ReceivedBody<AnswerAt<EndpointAt<'GET', '/api/v1/subjects/{id}'>>>;

type ApiSubjectChange = Omit<ReceivedBody<SubjectChangeBody>, 'reason'>;

type ApiTarget = ReceivedBody<TargetList['targets'][number]>;

type ApiWebhook = ReceivedBody<AnswerAt<EndpointAt<'GET', '/api/v1/webhooks/{id}'>>>;

type ApiWorker = ReceivedBody<WorkerList['workers'][number]>;

type AsJson<T> = unknown extends T ? unknown : T extends string | number | boolean | null ? T : T extends {
    toJSON(...args: never[]): infer Written;
} ? AsJson<Written> : T extends undefined | void ? null : T extends bigint | symbol | ((...args: never[]) => unknown) ? never : T extends readonly unknown[] ? {
    [Index in keyof T]: AsJson<T[Index]>;
} : T extends object ? ObjectAsJson<T> : never;

type AttemptOutcome = (typeof ATTEMPT_OUTCOMES)[number];

type BodyAt<E> = RequestPart<E, 'body'>;

type BodyOf<E extends Endpoint> = Part<E, 'body'>;

type BulkCommand = (typeof BULK_COMMANDS)[number];

type BulkState = (typeof BULK_STATES)[number];

type CallRank = 'first' | 'usual' | 'last';

type Camel<Name extends string> = Name extends `${infer First}_${infer Rest}` ? `${First}${Capitalize<Camel<Rest>>}` : Name;

type ChoreStatus = Pick<ChoreRun, AlwaysKnown> & {
    readonly [Name in Exclude<keyof ChoreRun, AlwaysKnown>]: ChoreRun[Name] | null;
} & {
    readonly of: string;
};

type ClaimAttempt = (found: () => void) => Promise<ClaimedJob[]>;

type ClientCall<E> = Omit<SentCall, 'body' | 'query'> & {
    readonly params?: Readonly<Record<string, string | number>>;
} & (undefined extends BodyAt<E> ? {
    readonly body?: BodyAt<E>;
} : {
    readonly body: BodyAt<E>;
}) & (undefined extends QueryAt<E> ? {
    readonly query?: QueryAt<E>;
} : {
    readonly query: QueryAt<E>;
});

type ClientJobBody = z.input<typeof newJob>;

type ClientOptions<D extends Definitions> = TransportOptions & (keyof QueuesOf<D> extends never ? {
    readonly queues?: Readonly<Record<string, string>>;
} : {
    readonly queues: QueuesOf<D>;
});

type Coding = 'br' | 'gzip' | 'identity';

type ConfigKey = keyof typeof KEYS;

type ConfigValue = string | number | boolean;

type Content = Readonly<Record<string, {
    readonly schema: Schema;
}>>;

type Contract = Readonly<Record<string, Endpoint>>;

type Contracts = typeof jobsContract & typeof commandsContract & typeof bulkContract & typeof endsContract & typeof itemsContract & typeof searchContract & typeof queuesContract & typeof schedulesContract & typeof workersContract & typeof settingsContract & typeof eventsContract & typeof statsContract & typeof overviewContract & typeof errorsContract & typeof subjectsContract & typeof upkeepContract & typeof workContract & typeof keysContract & typeof tenantsContract & typeof auditContract & typeof alertsContract & typeof webhooksContract;

type CountName = MessageOutcome | keyof typeof OTHERS;

type Counted = AnswerAt<EndpointAt<'GET', '/api/v1/queues'>>['queues'][number];

type CountedPlace = 'queued' | 'running' | 'delayed' | 'waiting' | 'blocked';

type Definitions = readonly unknown[] | object;

type DoctorLimits = {
    readonly [name in keyof typeof DOCTOR_LIMITS]: number;
};

type EndState = (typeof END_STATES)[number];

type EndingPolicy = Pick<ResolvedPolicy, 'maxRetries' | 'retryBaseMs' | 'retryFactor' | 'retryCapMs' | 'jitterLow' | 'jitterHigh' | 'onLeaseLost' | 'crashBudget' | 'onCancel' | 'onShutdown' | 'onError'>;

type EndpointAt<M extends Method, P extends string> = Extract<AnyEndpoint, {
    method: M;
    path: P;
}>;

type EnqueueManyOptions<Input> = EnqueueOptions & {
    each?(input: Input, index: number): JobExtras;
};

type EnqueueOptions = JobExtras & EnqueueCallOptions;

type EnqueuedJob<J extends DefinedJob> = Omit<Job, 'input'> & {
    readonly input: InputOf<J>;
};

type Environment = Readonly<Record<string, string | undefined>>;

type ErrorCode = keyof typeof ERRORS;

type ErrorDetails = Readonly<Record<string, unknown>>;

type FacetName = (typeof FACETS)[number];

type Facets = Record<FacetName, Facet>;

type FieldName = keyof ScheduleFields;

type FiringRow = AnswerAt<EndpointAt<'GET', '/api/v1/schedules/{name}/history'>>['firings'][number];

type Flat<T> = T extends unknown ? {
    [Key in keyof T]: T[Key];
} : never;

type FromInput<Output> = string | {
    of(input: Output): string | undefined;
}['of'];

type Handler<Output, Result> = (ctx: JobContext, input: Output) => Result | Promise<Result>;

type Handlers<C extends Contract> = {
    readonly [Name in keyof C]: (call: Call<C[Name]>) => Promise<AnswerOf<C[Name]>>;
};

type HeadersOf<E extends Endpoint> = Part<E, 'headers'>;

type HostedCaller = (request: Pick<FastifyRequest, 'raw'>) => Principal | undefined;

type HttpLimits = {
    readonly [Name in keyof typeof HTTP_LIMITS]: number;
};

type HubLimits = {
    readonly [Name in keyof typeof HUB_LIMITS]: number;
};

type Input<D extends Definitions, K extends string> = TypesOf<JobOf<D, K>>['input'];

type InputAndOptions<Input, Options> = undefined extends Input ? [input?: JsonInput<Input>, options?: Options] : [input: JsonInput<Input>, options?: Options];

type InputField<Input> = undefined extends Input ? {
    readonly input?: JsonInput<Input>;
} : {
    readonly input: JsonInput<Input>;
};

type InputOf<J extends DefinedJob> = NonNullable<J['~types']>['input'];

type ItemFormat = 'json' | 'csv';

type JobExtras = Partial<Omit<NewJob, 'kind' | 'input'>>;

type JobFormat = 'csv' | 'ndjson';

type JobOf<D extends Definitions, K extends string> = Named<JobsIn<D>, K>;

type JobQuery = Omit<ReceivedBody<NonNullable<QueryAt<List>>>, 'pageSize' | 'pageToken'> & {
    readonly limit?: number;
    readonly after?: string;
};

type JobWithLastAttempt = Job & {
    readonly lastAttempt: Date | null;
};

type JobsIn<T> = T extends JobDefinition ? T : T extends readonly (infer Each)[] ? Extract<Each, JobDefinition> : T extends object ? {
    [Name in keyof T]: T[Name] extends JobDefinition ? T[Name] : JobsInList<T[Name]>;
}[keyof T] : never;

type JobsInList<T> = T extends readonly (infer Each)[] ? Extract<Each, JobDefinition> : never;

type JsonInput<T> = unknown extends T ? T : T extends Date ? 'A Date becomes text in JSON: pass text, and let the schema make a Date of it' : T extends bigint | symbol | ReadonlyMap<unknown, unknown> | ReadonlySet<unknown> ? 'JSON does not have this: pass text, a number, an array or a plain object' : T extends object ? {
    [Key in keyof T]: JsonInput<T[Key]>;
} : T;

type KeptKey<Key, Value> = Key extends symbol ? never : [AsJson<Value>] extends [never] ? never : Key;

type KindOf<D extends Definitions> = JobsIn<D>['kind'];

type KindQueues<D extends Definitions> = {
    readonly [J in JobsIn<D> as string extends J['queue'] ? never : J['queue'] extends 'default' ? never : J['kind']]: J['queue'];
};

type KnownKey = Pick<ApiKey, 'id' | 'tenant' | 'name' | 'scopes' | 'rateLimit' | 'expiresAt' | 'state'>;

type Layer = ReadonlyMap<ConfigKey, ValueWithOrigin>;

type List = EndpointAt<'GET', '/api/v1/jobs'>;

type Lookup = (hostname: string) => Promise<readonly Address[]>;

type MeasuredCall<T> = PromiseLike<T> | (() => PromiseLike<T> | T);

type MessageOutcome = keyof typeof MESSAGE_OUTCOMES;

type Method = AnyEndpoint['method'];

type Named<J extends JobDefinition, K extends string> = J extends unknown ? K extends J['kind'] ? J : never : never;

type NewApiSchedule<D extends Definitions, K extends KindOf<D>> = Omit<ReceivedBody<NewScheduleBody>, 'kind' | 'input' | 'reason'> & {
    readonly kind: K;
    readonly input?: Input<D, K>;
};

type NewApiSubject = Omit<ReceivedBody<NewSubjectBody>, 'reason'>;

type NewApiWebhook = Omit<ReceivedBody<NewWebhookBody>, 'reason'>;

type NewSchedule = Pick<ScheduleFields, 'kind' | 'expression'> & Partial<ScheduleFields> & {
    readonly name: string;
};

type NewScheduleBody = BodyAt<EndpointAt<'POST', '/api/v1/schedules'>>;

type NewSubjectBody = BodyAt<EndpointAt<'POST', '/api/v1/subjects'>>;

type NewWebhookBody = BodyAt<EndpointAt<'POST', '/api/v1/webhooks'>>;

type NodeListener = (request: IncomingMessage, response: ServerResponse) => Promise<void>;

type ObjectAsJson<T> = Flat<{
    [Key in keyof T as undefined extends T[Key] ? never : KeptKey<Key, T[Key]>]: AsJson<T[Key]>;
} & {
    [Key in keyof T as undefined extends T[Key] ? KeptKey<Key, Exclude<T[Key], undefined>> : never]?: AsJson<Exclude<T[Key], undefined>>;
}>;

type Outcome = (typeof OUTCOMES)[number];

type OutputOf<J extends DefinedJob> = NonNullable<J['~types']>['output'];

type ParamsOf<E extends Endpoint> = Part<E, 'params'>;

type Part<E extends Endpoint, Name extends 'params' | 'query' | 'headers' | 'body'> = E extends {
    readonly [key in Name]: infer S extends z.ZodType;
} ? z.output<S> : undefined;

type PathOf<M extends Method> = Extract<AnyEndpoint, {
    method: M;
}>['path'];

type Place = (typeof PLACES)[number];

type PolicyValue<Name extends keyof typeof POLICY_VALUES> = (typeof POLICY_VALUES)[Name][number];

type PresetName = (typeof PRESET_NAMES)[number];

type PreviewAnswer = AnswerAt<EndpointAt<'POST', '/api/v1/bulk/preview'>>;

type ProblemAction = {
    readonly type: 'call';
    readonly label: string;
    readonly method: 'POST' | 'PUT' | 'PATCH' | 'DELETE';
    readonly path: string;
    readonly body: Record<string, unknown> | null;
    readonly scope: 'operate' | 'admin';
} | {
    readonly type: 'open';
    readonly label: string;
    readonly page: string;
    readonly params: Record<string, string>;
};

type ProblemSeverity = (typeof PROBLEM_SEVERITIES)[number];

type ProblemType = (typeof PROBLEM_TYPES)[number];

type ProcessSpans = 'link' | 'child';

type QueryAt<E> = RequestPart<E, 'query'>;

type QueryOf<E extends Endpoint> = Part<E, 'query'>;

type QueueAct = Attribution & {
    readonly tenant?: string;
};

type QueueAnswer = AnswerAt<EndpointAt<'GET', '/api/v1/queues/{name}'>>;

type QueueDeclaration = Partial<Policy> & {
    readonly preset?: PresetName;
};

type QueueStatsAnswer = AnswerAt<EndpointAt<'GET', '/api/v1/metrics/queues'>>['queues'][number];

type RangeField = 'id' | 'age' | 'attempts' | 'priority' | 'created' | 'finished' | 'input';

type ReasonRow = AnswerAt<EndpointAt<'GET', '/api/v1/schedules/{name}/explain'>>['reasons'][number];

type ReceivedBody<Row> = {
    readonly [Name in keyof Row as Name extends string ? Camel<Name> : never]: Name extends TimeName ? Exclude<Row[Name], string> | Date : Row[Name];
};

type Redact = <T>(payload: T) => T;

type RelatedJob = Pick<Job, 'id' | 'queue' | 'kind' | 'state' | 'status' | 'createdAt' | 'finishedAt' | 'trace' | 'parentId' | 'retryOf'>;

type RequestPart<E, Name extends string> = E extends {
    readonly [key in Name]: infer S extends z.ZodType;
} ? z.input<S> : undefined;

type ResolvedPolicy = Omit<Policy, 'maxRetries' | 'retryBaseMs' | 'retryCapMs' | 'leaseMs'> & {
    readonly maxRetries: number;
    readonly retryBaseMs: number;
    readonly retryCapMs: number;
    readonly leaseMs: number;
};

type Result<D extends Definitions, K extends string> = AsJson<TypesOf<JobOf<D, K>>['result']>;

type ResultOf<J extends DefinedJob> = NonNullable<J['~types']>['result'];

type Role = (typeof ROLES)[number];

type Rows = readonly unknown[] | {
    readonly rows: readonly unknown[];
};

type RuleBody = BodyAt<EndpointAt<'PUT', '/api/v1/alert-rules/{rule}'>>;

type ScheduleAnswer = AnswerAt<EndpointAt<'GET', '/api/v1/schedules/{name}'>>;

type ScheduleAttribution = Attribution & ScheduleOwner;

type ScheduleChangeBody = BodyAt<EndpointAt<'PATCH', '/api/v1/schedules/{name}'>>;

type ScheduleDeclaration<J extends DefinedJob = DefinedJob> = Omit<NewSchedule, 'kind' | 'input'> & (({
    readonly job: J;
    readonly kind?: undefined;
} & InputField<InputOf<J>>) | {
    readonly kind: string;
    readonly job?: undefined;
    readonly input?: unknown;
});

type ScheduleRow = Omit<Schedule, 'priority'> & {
    readonly priority: number | null;
    readonly now: Date;
};

type Scope = (typeof SCOPES)[number];

type SessionCall = Pick<Call, 'store' | 'tenant'>;

type SettingName = keyof typeof SETTINGS;

type SettingsByName = Readonly<Record<SettingName, number>>;

type Shapes = Readonly<Record<string, Schema>>;

type Silence = {
    readonly until: Date;
} | {
    readonly forMs: number;
};

type SpanName = keyof typeof SPANS;

type SqsCounts = Readonly<Record<CountName, number>>;

type State = (typeof STATES_IN)[Place][number];

type Streamed = AsyncIterable<string | Uint8Array> | Uint8Array;

type SubjectChangeBody = BodyAt<EndpointAt<'PATCH', '/api/v1/subjects/{id}'>>;

type SuggestedField = (typeof SUGGESTED_FIELDS)[number];

type TargetList = AnswerAt<EndpointAt<'GET', '/api/v1/targets'>>;

type TenantStore = Pick<Call, 'store' | 'tenant'>;

type Term = TextTerm | RangeTerm | KeywordTerm;

type TextField = 'state' | 'queue' | 'kind' | 'key' | 'target' | 'worker' | 'version' | 'id' | 'trace' | 'label' | 'input' | 'error';

type TimeName = `${string}_at` | `${string}_until` | `${string}_slot` | 'at' | 'since' | 'until' | 'slot';

type Transaction = ((text: string, values: unknown[]) => Promise<Rows>) | PgLike | PostgresJsLike | DrizzleLike | KyselyLike | KnexLike | PrismaLike;

type TypesOf<J extends JobDefinition> = NonNullable<J['~types']>;

type Validated<Output> = {
    readonly value: Output;
    readonly issues?: undefined;
} | {
    readonly issues: readonly SchemaIssue[];
};

type ValueOf<K extends ConfigKey> = (typeof KEYS)[K] extends Key<infer V, infer _D> ? V : never;

type WhereItRuns<Output, Result> = {
    readonly isolate?: undefined;
    readonly handler: Handler<Output, Result>;
} | {
    readonly isolate: 'thread' | 'process';
    readonly handler: URL;
};

type WindowStats = Omit<QueueMetrics, 'queue' | 'tenant' | 'queueId' | 'windowSec' | 'depth' | 'priorities' | 'oldestReadyAt' | 'waits'>;

type WithHeaders = Pick<FastifyRequest, 'headers' | 'raw'>;

type WithPolicy<R extends {
    readonly policy: object;
}> = Omit<ReceivedBody<R>, 'policy'> & {
    readonly policy: ReceivedBody<R['policy']>;
};

type WorkPort = ClaimPort & LeasePort & PresencePort;

type WorkerList = AnswerAt<EndpointAt<'GET', '/api/v1/workers'>>;
