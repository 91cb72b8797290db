interface Folder {
  /** Patterns of the files that are mutated. */
  readonly mutate: readonly string[]
  /** Patterns of the tests that a mutant has to survive. */
  readonly tests: readonly string[]
}

/** What the mutation tester changes, folder by folder. Between them the folders hold every source file that ships. */
export const folders: Readonly<Record<string, Folder>> = {
  'src/signature': of('src/signature', 'test/signature', 'test/receiver/web-crypto*'),
  'src/event': of('src/event', 'test/event', 'test/receiver/user-functions*'),
  'src/store': of(
    'src/store',
    'test/store',
    'test/stores/{arguments,argument-names,due-bounds,sources,sqlite-step}',
    'test/receiver/{operations,replay,discard,audits,arguments,failures,bulk,undo,edited,verify-again,readiness,lifecycle,forward}',
    'test/queues/{explain-sentences,held-jobs}',
  ),
  'src/ordering': of('src/ordering', 'test/ordering'),
  'src/dispatch': of('src/dispatch', 'test/dispatch'),
  'src/timing': of(
    'src/timing',
    'test/receiver/{user-functions,user-functions-late,warn,lifecycle,stop,worker,pipeline}',
    'test/queues/{local-scheduling,local-retries,backoff,waiting}',
  ),
  'src/options': of(
    'src/options',
    'test/receiver/{options,option-values,options-taken,arguments,errors,details,lifecycle,pipeline,results,time-limits,user-functions,user-functions-schema,stop}',
    'test/receiver/{event-id-header,telemetry,telemetry-runs,telemetry-faults,telemetry-context,telemetry-ids,telemetry-labels}',
    'test/package/codes*',
  ),
  'src/operations': {
    mutate: ['src/operations/[!r]*.ts', 'src/operations/{re,run-p}*.ts'],
    tests: [
      'test/receiver/{operations,replay,discard,audits,arguments,argument-limits,bulk,undo,edited,edited-body}.test.ts',
      'test/receiver/{verify-again,exact-json,failures,results,pruning,one-event-plan,blank-reasons,run-handles}.test.ts',
      'test/receiver/{flow-operations,changed-shapes,shape-limits,explain-details,explain-edited,explain-whole,explain-workers}.test.ts',
      'test/receiver/operation-faults.test.ts',
      'test/queues/{explain-sentences,local-flow}.test.ts',
    ],
  },
  // Apart, because a mutant of a loop often never ends.
  'src/operations/run-applier': {
    mutate: ['src/operations/run-applier.ts'],
    tests: [
      'test/receiver/{bulk,run-handles,run-pace,run-search,run-steps,undo,one-event-plan,edited}.test.ts',
      'test/queues/idle.test.ts',
    ],
  },
  'src/report': of(
    'src/report',
    'test/receiver/{report,log,loggers,results,answers,every-code,details,lifecycle,on-result,user-functions,warn}',
    'test/telemetries/loggers*',
  ),
  'src/forward': of('src/forward', 'test/receiver/forward*'),
  'src/lifespan': of(
    'src/lifespan',
    'test/receiver/{lifespan,probes,lifecycle,stop,worker,pruning,operations,replay,bulk,undo}',
    'test/queues/local-flow*',
  ),
  'src/telemetry': of(
    'src/telemetry',
    'test/receiver/{telemetry,telemetry-runs,telemetry-faults,telemetry-context,telemetry-ids,telemetry-labels,telemetry-laws,lifecycle,pipeline}',
  ),
  'src/telemetries': of('src/telemetries', 'test/telemetries'),
  'src/steps': of(
    'src/steps',
    'test/receiver/{answers,every-code,admission,event-id-header,details,exact-json,lifecycle,one-event-plan,pipeline,rejected-unread,results}',
    'test/receiver/{changed-by-user-code,odd-store,step-details}',
    'test/{receiver/report,adapters/lambda-response}*',
    'test/receiver/{log,run-handlers,same-id,telemetry,telemetry-runs,telemetry-faults,telemetry-context,telemetry-ids,telemetry-labels,time-limits,unfixable-data,user-functions,worker}',
    'test/queues/schema*',
  ),
  'src/queue': of(
    'src/queue',
    'test/queues/{local-scheduling,local-retries,sweep,job-runner,job-runner-overdue,tell-queue,queue-name,queue-options,poller,job-ends,open-event}',
    'test/receiver/{worker,lifecycle,stop}',
  ),
  // Most other tests of queues start processes, which are not mutated.
  'src/queues/local': {
    mutate: ['src/queues/local.ts', 'src/queues/local/**/*.ts'],
    tests: [
      'test/queues/{local,local-names,local-scheduling,local-retries,local-held,local-rest,local-flow,limited-resources,several-workers}.test.ts',
      'test/queues/{overdue-limits,overdue-stop,queue-options,guarantees,idle}.test.ts',
    ],
  },
  'src/queues/pg-boss': {
    mutate: ['src/queues/pg-boss.ts', 'src/queues/pg-boss/**/*.ts'],
    tests: [
      'test/queues/{pg-boss,pg-boss-again,pg-boss-held,pg-boss-create,pg-boss-faults,pg-boss-jobs,pg-boss-options,pg-boss-prepare,pg-boss-resumed,pg-boss-search}.test.ts',
      'test/queues/{pg-boss-versions,pg-boss-shared-pool,old-engines,second-job,start,unnoted-failure,guarantees,resumed-order,sweep-limited,without-handler}.test.ts',
    ],
  },
  'src/queues/bullmq': {
    mutate: ['src/queues/bullmq.ts', 'src/queues/bullmq/**/*.ts'],
    tests: [
      'test/queues/{bullmq,bullmq-attempts,bullmq-jobs,bullmq-outage,bullmq-outage-line,bullmq-redis-faults,old-engines}.test.ts',
      'test/queues/{second-job,start,taken-events,unnoted-failure,guarantees,resumed-order,sweep-limited,without-handler}.test.ts',
    ],
  },
  'src/flow': of(
    'src/flow',
    'test/queues/{limits,beat,circuit-timer,flow-gate,flow-places,local-flow,held-jobs,explain-sentences,overdue-limits}',
    'test/receiver/unadmitted*',
  ),
  'src/stores/memory': {
    mutate: ['src/stores/memory.ts', 'src/stores/memory/**/*.ts'],
    tests: ['test/stores/{memory,memory-model,memory-limits,clock-ahead}.test.ts'],
  },
  'src/stores/sqlite': {
    mutate: ['src/stores/sqlite.ts', 'src/stores/sqlite/**/*.ts'],
    tests: [
      'test/stores/{sqlite,sqlite-prune,sqlite-turn,sqlite-group,sqlite-faults,sqlite-settings,sqlite-search-race}.test.ts',
      'test/stores/{sqlite-step,sqlite-claims,sqlite-plan-parts,sqlite-resource-search,sqlite-ended-work,sqlite-checkpoint,sqlite-busy,sqlite-health,sqlite-parts,clock-ahead}.test.ts',
      'test/stores/{quarantine,arguments,sources,due-bounds,trace-context,fault-advice,fault-verbs,sqlite-open-messages,statistics-exact,failure-group-counts}.test.ts',
      'test/receiver/{operations,replay,discard,audits,undo,bulk,run-handles,run-steps,edited,flow-operations}.test.ts',
    ],
  },
  'src/stores/d1': {
    mutate: ['src/stores/d1.ts', 'src/stores/d1/**/*.ts'],
    tests: ['test/stores/{d1,fault-advice,half-clients}.test.ts'],
  },
  'src/stores/dynamodb': {
    mutate: ['src/stores/dynamodb.ts', 'src/stores/dynamodb/**/*.ts'],
    tests: ['test/stores/{dynamodb,dynamodb-faults,fault-advice,half-clients}.test.ts'],
  },
  'src/stores/redis': {
    mutate: ['src/stores/redis.ts', 'src/stores/redis/**/*.ts'],
    tests: [
      'test/stores/{redis,redis-verbs,redis-times,redis-faults,redis-check,redis-check-faults,redis-guarantee}.test.ts',
      'test/stores/{redis-advice,redis-replicas,node-redis,half-clients}.test.ts',
    ],
  },
  'src/stores/postgres': {
    mutate: ['src/stores/postgres.ts', 'src/stores/postgres/**/*.ts'],
    tests: [
      'test/stores/{postgres,postgres-accept,postgres-prune,postgres-schema,postgres-check,quarantine,arguments}.test.ts',
      'test/stores/postgres-{batches,lost-reply,jobs-together,wrapped-client,claim-start,take,small-pool,joined-late}.test.ts',
      'test/stores/postgres-{migrate-locks,receiver,pool,limited-reads,failed-work,joined-faults,rejections,lent-client,by-key}.test.ts',
      'test/stores/{sources,due-bounds,trace-context,fault-advice,fault-verbs,statistics-exact,failure-group-counts,postgres-check-messages,postgres-option-messages}.test.ts',
      'test/stores/postgres-{opening,kept-plans,late-commit,half-open,faults}.test.ts',
    ],
  },
  // The runners start processes, which are not mutated.
  'src/testing': {
    mutate: ['src/testing/[!l]*.ts', 'src/testing/la*.ts'],
    tests: [
      'test/testing/{clock,coded-errors,fixture,inbox-suite,kit-errors,sender,shuffle,suites,tamper}.test.ts',
    ],
  },
  // Apart, because laws are tests. A law that demands less passes too: it takes a store with that fault to notice.
  'src/testing/store-suite': {
    mutate: ['src/testing/store-suite/**/*.ts', 'src/testing/le*.ts'],
    tests: ['test/testing/{lease-faults,store-faults,suites}.test.ts', 'test/stores/memory*.test.ts'],
  },
  'src/testing/inbox-suite': {
    mutate: ['src/testing/inbox-suite/**/*.ts'],
    tests: ['test/testing/{inbox-suite,inbox-faults,inbox-rejects}.test.ts', 'test/stores/sqlite.test.ts'],
  },
  'src/testing/queue-suite': {
    mutate: ['src/testing/queue-suite/**/*.ts'],
    tests: ['test/testing/{suites,queue-faults}.test.ts', 'test/queues/local.test.ts'],
  },
  // The files beside the folders.
  src: {
    mutate: ['src/*.ts'],
    tests: [
      'test/receiver/{answers,every-code,admission,event-id-header,details,errors,results,report,user-functions,on-result,telemetry,telemetry-runs,telemetry-faults,telemetry-context,telemetry-ids,telemetry-labels}.test.ts',
      'test/receiver/{options,option-values,options-taken,lifecycle,lifespan,probes,pipeline,pruning,operations,replay,undo}.test.ts',
      'test/receiver/{worker,worker-outcomes,worker-deaths,version,capabilities,argument-limits,flow-operations,edited-body}.test.ts',
      'test/receiver/{catch-later,thrown-promises,thrown-nothing}.test.ts',
      'test/signature/{sign,verify}.test.ts',
      'test/store/{error-text,lease-verbs}.test.ts',
      'test/stores/{argument-names,half-clients}.test.ts',
      'test/queues/{local-flow,taken-events}.test.ts',
      'test/package/codes.test.ts',
      'test/adapters/mounting.test.ts',
    ],
  },
  adapters: of(
    'adapters',
    'test/adapters/{node,http2,read-body,express,express4,fastify,fastify-drops,koa,koa-drops,early-answer,repeated-headers,unread-rejections,fetch,lambda,lambda-event,lambda-limits,lambda-response,probes,lifespan,mounting}',
  ),
  'packages/client': of('packages/client/src', 'packages/client/test'),
  'packages/diagnose': of(
    'packages/diagnose/src',
    'packages/diagnose/test/{arguments,bytes-changed,causes,discover,limits,parts,result,scheme,undefined-options}',
  ),
  'packages/console': of(
    'packages/console/src',
    'packages/console/test/{acts,acts-that-fail,advice,another-endpoint,answers,as-seen,audit-lines,audits,audits-in-time,audits-of-views}',
    'packages/console/test/{before-change,bodies,body-parsers,body-search,bulk,canaries,causes-apart,checks-of-deliveries,diff-lines,emptied-causes}',
    'packages/console/test/{example-errors,failed-again,features,frameworks,gone,groups,held-event,hidden-limits,hidden-values,hide-cut}',
    'packages/console/test/{in-quarantine,json-values,later-events,later-words,listing,lists-at-limits,lost-store,mask,masked-differences}',
    'packages/console/test/{masked-earlier-content,masked-resource,masked-rows,masked-search,one-event,one-look,operations-in-parts}',
    'packages/console/test/{operations-that-meet,options,options-at-limits,origin,overview,pages-and-paths,planned-later-done,plans,previews}',
    'packages/console/test/{rare-answers,reads-at-limits,refused-rights,rejections,released,requests-at-limits,rights,runs-over-one,samples}',
    'packages/console/test/{sealed-keys,sealing,signals,since-success,snippet,stream,stream-messages,under-way,unknown-outcome,verify-all}',
    'packages/console/test/{what-holds-an-event,who-of-discards,who-of-pauses,who-of-runs,whole-operations,whole-quarantine,whole-views,words}',
  ),
  // Its commands load their modules when they run; see load-cli.ts.
  'packages/cli': {
    ...of(
      'packages/cli/src',
      'packages/cli/test/{sign,send,send-withstands,secrets,printable,frame,network-error,status-line,scheme-option,completion,local-path,sandbox,sandbox-flags,sandbox-unreachable}',
      'packages/cli/test/http',
      'packages/cli/test/sandbox',
      'packages/cli/test/send',
      'packages/cli/test/sign',
      'packages/cli/test/text',
      'packages/cli/test/verify',
      'packages/cli/test/check',
      'packages/cli/test/inbox/{asks,attempt-in-words,bulk,causes,changes,changing,edited-copy,endpoints,explain-in-words,find-events,guards}',
      'packages/cli/test/inbox/{loading,migrate,quarantined-id,reading,rejects,resolve-id,screens,show,steering,store-fault,take-care,watch-variables,without-audits}',
    ),
    // They are the process itself. Only a test of another process shows what they do.
    mutate: ['packages/cli/src/**/*.ts', '!packages/cli/src/{main,inbox/port-in-use}.ts'],
  },
  'packages/sandbox': of(
    'packages/sandbox/src',
    'packages/sandbox/test/{clock,clock-limits,generated,ids,sandbox,receivers,own-target,whole-sandbox}',
    'packages/sandbox/test/api',
    'packages/sandbox/test/bank',
    'packages/sandbox/test/control',
    'packages/sandbox/test/database/{after-commit,values}',
    'packages/sandbox/test/delivery/{chaos,faults-at-receivers,guard,outbox,places,prune,receivers,replay,restart,retries,signatures,subscriptions,targets-and-failures}',
    'packages/sandbox/test/options',
    'packages/sandbox/test/program/{faults,lines,opens,restart,run,signals}',
  ),
}

/** `tests` are folders, or patterns for names of files. */
function of(source: string, ...tests: string[]): Folder {
  const isName = (path: string) => /[*}]$/.test(path)
  return {
    mutate: [`${source}/**/*.ts`],
    tests: tests.map((path) => (isName(path) ? `${path}.test.ts` : `${path}/**/*.test.ts`)),
  }
}
