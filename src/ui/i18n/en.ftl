# The page's texts. Each stands in zh.ftl too, with the same placeholders: a test compares them.
# Kubernetes' own words are not translated.

## The bar
scenarios = Scenarios
scenarios-now = Scenarios: { $title }
gallery-find = Find a scenario
gallery-found = { $n ->
    [0] No scenario has these words in its title, text or heading.
    [one] One scenario found.
   *[other] { $n } scenarios found.
}
theme-first-steps = First steps
theme-rollouts = Rollouts
theme-workloads = Workloads and their pods
theme-containers = Containers of a pod
theme-scheduling = Scheduling
theme-autoscaling = Autoscaling
theme-network = Network
theme-storage = Storage and configuration
theme-nodes = Nodes
theme-control-plane = Control plane and controllers
theme-api = The API: kinds, namespaces, quotas
theme-others = Others
own-work = Your own
runs-open = Your runs…
runs-open-about = What you did is kept in this browser, run by run.
begins = How the cluster begins
begins-about = A choice begins the run anew. What you did before stays among your runs.
begins-nodes = Nodes
begins-etcd = etcd members
begins-family = Addresses
begins-ipv4 = IPv4
begins-dual = IPv4 and IPv6
page-title = Steady: Kubernetes, one command at a time
runs = Your runs
runs-about = They are kept in this browser, on this device alone. A run with a name stays until you delete it; of the others the last 50 stay.
runs-none = Nothing is kept yet. A run is kept from your first step on.
runs-refused = This browser does not let the page keep anything.
runs-unreadable = { $n ->
    [one] One kept run cannot be read: it is damaged, or a newer version of this page has written it. It stays as it is.
   *[other] { $n } kept runs cannot be read: they are damaged, or a newer version of this page has written them. They stay as they are.
}
runs-newer = A newer version of this page has kept the runs of this browser in a form that this version does not know. Reload the page to get the newer one.
run-steps = { $n ->
    [one] { $n } step
   *[other] { $n } steps
 }
run-size = { $kb } KB
run-here = shown here
run-elsewhere = open in another tab
run-name = Name of the run
run-open = Open
run-open-copy = Open a copy
run-open-name = Open { $name }
run-rename = Rename
run-rename-name = Rename { $name }
run-duplicate = Duplicate
run-duplicate-name = Duplicate { $name }
run-delete = Delete
run-delete-name = Delete { $name }
run-deleted = Deleted: { $name }
run-undo = Undo
run-copy = Another tab has this run open, so this is a copy of it.
run-take-over = Take it over instead
run-taken = Another tab has taken this run over. What you do here from now on is kept as a run of its own.
engine-ended = Something went wrong inside the simulation. The run goes on from the last moment that was kept.
engine-ended-again = The simulation could not go on from the last moment that was kept, so another run is shown. Yours is in the list of runs.
engine-lost = Steady’s engine has ended before it could answer. The page goes on with another one, from the last moment that was kept: ask again.
engine-missing = The simulation cannot be loaded at the moment. It is tried again; your work is kept.
run-gone = That run is not there any more.
save-refused = This browser does not let the page keep your work: a reload brings it back, closing the tab does not. Share it as a link to keep it.
save-newer = A newer version of this page has kept runs in this browser, and this version cannot add to them: a reload brings your work back, closing the tab does not. Reload to get the newer version, or share your work as a link to keep it.
update-ready = A new version of Steady is ready.
update-reload = Reload
theme = Light or dark
keys = Keys
share = Share
faults = Break something
faults-installed = What the cluster can have or not: metrics server, DNS, controllers, proxies, network plugin.
faults-manifests = Manifests of static pods, in the directories of the nodes.
faults-plane = Of the control plane. A pod or a node that you choose in the graph has its own.
fault-restart = Restart { $what }
fault-restart-about = Its caches and queues are lost; everything is listed again.
fault-watches = Cut the watches of { $what }
fault-watches-about = It goes on from the revision it has seen.
fault-stop = Stop { $what }
fault-stop-about = { $what ->
    [kube-apiserver] Nobody listens at its port any more: every request fails, all watches end, and its built-in controllers stop. What runs on the nodes goes on.
    [kube-controller-manager] It is cut off, and what it has in memory is lost. If it led, its lease runs out.
    [kube-scheduler] It is cut off, and what it has in memory is lost. If it led, its lease runs out.
   *[other] It is cut off, and what it has in memory is lost.
}
fault-start = Start { $what }
fault-start-about = With nothing in memory. Where another leads, it waits.
fault-replicate = Start one more { $what }
fault-replicate-about = One of them holds the lease and works; the others wait for it to run out.
fault-member-down = Lose etcd member { $what }
fault-member-down-about = What it has stays where it was. A majority of the members can write; fewer cannot.
fault-member-up = Bring etcd member { $what } back
fault-member-up-about = It catches up as soon as there is a leader.
fault-compact = Compact etcd
fault-compact-about = Its history is forgotten. A watch that was cut before cannot go on where it was.
fault-metrics-install = Install a metrics server
fault-metrics-install-about = It asks the kubelets every 15 seconds what containers use, and serves metrics.k8s.io: kubectl top and autoscalers read it.
fault-metrics-remove = Remove the metrics server
fault-metrics-remove-about = metrics.k8s.io is not served any more.
fault-coredns-install = Run the cluster's DNS as pods: CoreDNS, as kubeadm adds it
fault-coredns-install-about = Objects in kube-system: the Deployment coredns, its ConfigMap with the Corefile, the Service kube-dns. From then on names are answered by its pods, and by nobody else.
fault-coredns-remove = Delete the objects of CoreDNS
fault-coredns-remove-about = The cluster has the DNS again that is no object and always answers.
fault-manifest-remove = Take the manifest { $what } away
fault-manifest-remove-about = The kubelet of the node ends the static pod of the file, and deletes its mirror pod. If the pod was a part of the control plane, that part stops with it.
fault-manifest-put = Put the manifest { $what } back
fault-manifest-put-about = The kubelet of the node runs the static pod of the file again, whether the API server answers or not.
fault-ingress-install = Install an ingress controller: ingress-nginx
fault-ingress-install-about = Objects in the namespace ingress-nginx: a Deployment with its Service of type NodePort, the IngressClass nginx, its ServiceAccount and its rights. From then on Ingresses of this class lead to pods.
fault-ingress-remove = Delete the objects of ingress-nginx
fault-ingress-remove-about = Nobody acts on Ingresses any more.
fault-gateway-install = Install the Gateway API and a controller for it: NGINX Gateway Fabric
fault-gateway-install-about = The definitions of Gateway, HTTPRoute and their like, and objects in the namespace nginx-gateway: a Deployment with its Service, the GatewayClass nginx and what it says of nginx, a ServiceAccount and its rights. From then on each Gateway of this class gets an nginx of its own.
fault-gateway-remove = Delete the objects of NGINX Gateway Fabric
fault-gateway-remove-about = Nobody acts on Gateways and routes any more. Their definitions stay, and each nginx goes on with what it was told last.
fault-kube-proxy-install = Give each node a kube-proxy that can be looked at: { $what }
fault-kube-proxy-install-about = It writes the node's rules with { $what }, as steps of its own: until then, connections go where the old rules lead. docker exec NODE in the terminal shows the rules.
fault-network-plugin = Connect the pods with another network plugin: { $what }
fault-network-plugin-about = Pods keep their addresses. kindnet enforces NetworkPolicies; flannel does not, and packs packets for other nodes into UDP with vxlan and udp. With bridge alone, pods of other nodes are not reached. With none, nodes are not ready and no pod with a network of its own starts.
fault-kube-proxy-remove = Take the kube-proxies away
fault-kube-proxy-remove-about = Every node has the rules of its Services at once again, without a step.
controls = Step and run
transport = Run
restart = Back to the start
restart-keys = Back to the start (Home)
back = Step back
back-keys = Step back (←)
step = Step
redo = Redo
you = you
redo-verb = AGAIN
redo-what = Again: { $what }
redo-about = Nothing more happens by itself here. In this run, what followed is what you did:
run = Run
pause = Pause
to-steady = To steady
to-steady-keys = Run until no component has a next command (⇧→)
stop = Stop
speed = Speed
depth = How deep a step goes
depth-command = Command
depth-command-about = One step is one API write (C)
depth-reconcile = Reconcile
depth-reconcile-about = One step is one key through one controller's sync (R)
depth-machinery = Machinery
depth-machinery-about = One step is one watch event, delta, handler, key or request (M)

policy = Who goes next: { $now }
policy-fair = in turn
policy-fair-about = Every component issues one command in turn, and sees all that has happened before. What is due at the same moment goes first.
policy-random = by chance, seed { $seed }
policy-random-about = Of those that can act each is as likely as the others. Equal seeds, equal runs.
policy-newest = the newest first
policy-newest-about = Whoever has the newest news goes first; what was begun earlier waits longest.
policy-starved = { $who } last
policy-starved-about = It goes only when no other component can.
policy-acted = Components that have acted in this run
policy-find = Find a component

## Panes
panes = Panes
pane-graph = Graph
pane-manifest = Edit
pane-object = Object
pane-timeline = Timeline
left = Manifest and kubectl
manifest = Manifest
kubectl = kubectl
graph = Objects
graph-keys = Objects: arrow keys walk, Enter inspects
inspector = Inspector
what-next = What comes next
timeline = Timeline

## The manifest
story = What to look at
try-same = Nothing changes: the cluster is like that already.
try-late = { $who } has nothing of that kind to do at this moment, so nothing changes. Home leads back to the start of the scenario, where it has.
no-such-fault = There is nothing of that name, or it is so already.
crash-nothing = The container is not running, so it cannot crash.
apply = Apply
format = Format
format-refused = Not formatted: line { $line } cannot be read. { $why }
format-not = Not formatted: it would have changed more than the form of the text.
leave-editor = leaves the editor
leave-line = leaves the line
apply-hint = Change something; what Apply would do is shown here.
apply-nothing = Apply would change nothing.
apply-done = The cluster has what stands here, so Apply would change nothing. The components have not acted on it yet.
apply-done-steady = The cluster has what stands here, so Apply would change nothing.
apply-next = What comes next
apply-would = What Apply would do
apply-create = create
apply-refused = It was refused:
apply-unreadable = Nothing was applied: line { $line } of the manifest is not YAML.
apply-past = You are looking at the past: this run goes on from here. Apply would begin another branch:
apply-back = The text in the editor is older than the cluster. Apply would put back:
apply-take-over = Update the text
apply-take-over-about = The text takes over what the cluster has in these fields. Your own edits stay.
apply-own = And it would change:
terminal-log = What the terminal printed
terminal-waits = It goes on: each step, and it looks again. Ctrl+C ends it.
terminal-holds = Its next command changes the cluster.
terminal-go-on = Let it go on (Enter)
terminal-edits = The editor has the object: Save in the manifest's tab writes it.
terminal-hint = kubectl works here, with pipes: get pods -w, describe deployment web, kubectl get pods | grep web. Tab completes, ↑ brings back, “help” says more.
terminal-help =
    kubectl, k, or a verb alone: get pods -o wide, describe deployment web, explain pods.spec.
    Pipes to grep, head, tail, wc, sort, uniq, cut, sed, tr, xargs; several commands with ; && ||; here-documents: kubectl apply -f - <<EOF. manifest.yaml is what the editor has.
    get -w, watch kubectl get pods, logs -f, rollout status and wait go on while you step; a step back takes back what they printed.
    kubectl exec -it POD -- sh opens a shell in a container: it sees the container's files, and “exit” or Ctrl+D leaves it.
    kubectl debug -it POD --image=busybox, kubectl run -it and kubectl attach -it POD put the terminal into a container’s own process as soon as that runs: step until its prompt comes. Each line there is a step of the run, Ctrl+C interrupts what runs, and the container ends with its shell.
    { terminal-exec }
    docker exec NODE looks into a node: iptables-save, nft list ruleset, ipvsadm -Ln, ipset list, crictl ps -a, crictl pods, crictl images.
    curl (also wget, nc, ping, traceroute, nslookup) asks from this machine, which is beside the cluster: http://NODE-ADDRESS:NODE-PORT answers, names and addresses of Services do not. docker exec NODE curl … asks from a node.
    kubectl edit opens the object in the editor, and Save writes it. kubectl config set-context --current --namespace=… holds for all lines after it.
    Tab completes, a second Tab lists; ↑ and ↓ go through the lines that begin alike; Ctrl+R searches them; Ctrl+C ends or clears; Ctrl+L or “clear” forgets; “history” lists. Escape, then Tab, leaves the line.
terminal-exec = A line that changes the cluster is a step of the run: a step back takes it back, and a link repeats it. Of kubectl exec these are commands that write a file, and those whose question is remembered: in a server’s log, in the log or cache of CoreDNS, or by a Service with sessionAffinity. What only looks is no step.
terminal-astray = This terminal is a machine beside the cluster: it reaches the addresses of nodes, and neither the names nor the addresses of Services and pods. kubectl exec POD -- wget -qO- ADDRESS asks from a pod.
terminal-reads = The process waits for a line: type it here.
terminal-busy = A command runs in the process. What you type waits until that reads it; Step or the clock lets time pass.
terminal-attached = The terminal is attached to the container’s own process. Each line and each key that reaches it is a step of the run, also one that only looks: a step back takes it back, and a link repeats it. Where a command waits for time to pass, Step lets it pass, and so does the clock.
terminal-new-run = Another run begins here. What stands above is of the run before.
terminal-inside = This is a shell in the container { $container } of the pod { $pod }. “exit” or Ctrl+D leaves it.
terminal-inside-line = Shell in the container { $container } of the pod { $pod }
terminal-copy = Copy what “{ $line }” printed
terminal-words = How the line can go on
terminal-search = Found among earlier lines:
terminal-keys = Keys
terminal-tab = Complete
terminal-up = Line before
terminal-down = Line after
terminal-stop = End or clear
texts-missing = The texts of kubectl explain could not be loaded. Without them it prints the fields alone.
editing = “{ $line }”: Save writes what you change here. The manifest comes back afterwards.
editing-save = Save
editing-cancel = Cancel

## The graph
problem-place = Line { $line }, column { $column }
problem-line = Line { $line }
image-no-name = Docker Hub has no official image “{ $name }”
image-no-tag = The image { $name } has no tag “{ $tag }”
image-meant = { $said }. Did you mean { $meant }?
image-newest = { $said }. There is { $meant }.
image-own = { $said }. An image of your own has its organisation or registry in front of its name: acme/{ $name }.
image-use = Change to { $meant }
problem-more = { $n ->
    [one] and { $n } more
   *[other] and { $n } more
}
zoom = Zoom
zoom-in = Bigger
zoom-out = Smaller
zoom-fit = Show all
graph-alone = The graph alone
graph-alone-says = The graph has the page for itself. Escape brings the rest back.
filter-open = Filter and search
filter = Filter the graph
filter-text = Name, kind or label=value
filter-keys = Enter goes to the next match, Shift+Enter to the one before, Escape closes.
filter-count = { $shown } of { $all } shown
filter-clear = Show all objects
filter-close = Close the filter
filter-kinds = Kinds
filter-namespaces = Namespaces
filter-health = How they stand
filter-cluster = no namespace
filter-well = well
filter-waiting = not yet
filter-bad = in trouble
menu-of = { $object }: what can be done
menu-describe = Describe
menu-logs = Logs
menu-edit = Edit its YAML
menu-why = Why it is as it is
menu-follow = Follow a request from here
menu-owns = Show what it owns ({ $n })
menu-owned = { $n ->
    [one] { $object } owns one object; it is marked.
   *[other] { $object } owns { $n } objects; they are marked.
 }
menu-do = Do
menu-crash = Crash container { $container }
callout-age = { $age } old
callout-namespace = in { $namespace }
callout-deleting = being deleted
lines = Lines
line-owner = owns
line-selector = selects
line-binding = runs on
line-reference = names
records = { $n ->
    [one] { $n } record
   *[other] { $n } records
}
records-about = What controllers keep about other objects: Endpoints, EndpointSlices, ControllerRevisions
clock = t = { $s } s
clock-menu = Let time pass
clock-menu-now = Let time pass: { $time }
clock-step = To the next thing that happens
clock-about = As Step does. Time passes only when nothing else can happen.
clock-to = To { $at }
card-revision = { $kind } · revision { $n }
card-paused = paused
card-suspended = suspended
card-next = next { $at }
card-no-condition = no conditions
pod-no-node = not scheduled yet
pod-restarts = { $n ->
    [one] { $n } restart
   *[other] { $n } restarts
}
node-pods = { $n ->
    [one] { $n } pod
   *[other] { $n } pods
}
node-cut-off = cut off
fold = { $n ->
    [one] { $n } pod
   *[other] { $n } pods
}, { $ready } ready
fold-kind = { $n } × { $kind }
fold-bad = { $n } × { $kind }, { $bad } in trouble
label-workload = { $ready } of { $want } ready
label-job = { $ready } of { $want } succeeded
label-pod = { $word }, { $ready } of { $of } containers ready, { $node }{ $restarts ->
    [0] { "" }
    [one] , { $restarts } restart
   *[other] , { $restarts } restarts
}
label-node = { $word }, { $n ->
    [one] { $n } pod
   *[other] { $n } pods
}
label-changed = changed by the last step

## The next commands
next-pick = Next commands: pick who goes first
next-actions = What may happen next: pick one
next-waiting = No component has anything to do until time passes
next-none = Next commands
next-asked = The lesson asks first. What can happen next is listed once you have answered.
next-look = Show it now
next-running = The run goes on. The next commands are listed when it stops.
next-more = show { $n } more
go-first = first
why-about = Press a line to see why it is so.
why-of = Why { $line }
why-start = The cluster began with it.
why-waited = after a while
why-more = { $n ->
    [one] One write before this is not shown.
   *[other] { $n } writes before this are not shown.
  }
summary = What followed
summary-writes = { $n ->
    [one] One write followed from what you did.
   *[other] { $n } writes followed from what you did.
  }
summary-more = What led to what
summary-too-long = Too much has happened since for a summary of what led to what.
summary-left-out = { $n ->
    [one] One more line is not shown.
   *[other] { $n } more lines are not shown.
  }
summary-times = , { $n } times
because = because
because-first = first because
because-of-one = { $name } because
refused = { $code ->
    [0] will get no answer
   *[other] will be refused: { $code }
}
in-time = in { $s } s
step-verb = ACTION
steady = Steady
steady-nothing = Nothing is declared, and nothing is left to do.
steady-stored = No pods are declared. What was applied is stored, and nothing is left to do.
steady-custom = { $n ->
    [one] One object of a custom kind is stored. No controller here acts on its kind, and nothing is left to do.
   *[other] { $n } objects of custom kinds are stored. No controller here acts on their kinds, and nothing is left to do.
}
steady-met = { $n ->
    [one] What was declared is what is running: { $n } pod.
   *[other] What was declared is what is running: { $n } pods.
}
steady-ended = { $n ->
    [one] What was declared has run: { $n } completion.
   *[other] What was declared has run: { $n } completions.
}
steady-failed = { $n ->
    [one] A Job has failed. That is its end: nothing more is expected of it.
   *[other] { $n } Jobs have failed. That is their end: nothing more is expected of them.
}
stuck = Stuck
steady-stuck = Steady, but stuck
stuck-etcd = { $run } of { $of } members of etcd { $run ->
    [one] runs
   *[other] run
}, which is no majority: nothing can be written, whoever wants to.
stuck-for-good = Nothing more happens by itself
stuck-until = Nothing happens before time passes to the next run of a schedule or restart
stuck-ready = { $lead }, and { $n } of { $of } pods { $n ->
    [one] is
   *[other] are
} not ready.
stuck-updated = { $lead }, and { $of } pods with the newest template are wanted: there { $have ->
    [one] is
   *[other] are
} { $have }.
stuck-succeeded = { $lead }, and { $n } of { $of } completions { $n ->
    [one] is
   *[other] are
} missing.
stuck-other = { $lead }, and it is not what was declared.
short = { $want } declared, { $updated } updated, { $available } available, { $total } in all
short-paused = paused: { $want } declared, { $updated } updated, { $available } available, { $total } in all
short-job = { $want } to succeed: { $succeeded } succeeded, { $active } active, { $failed } failed
short-suspended = suspended: { $want } to succeed, { $succeeded } succeeded
short-endless = { $said }. What runs does not end by itself: its command is one that goes on for ever.
ails-condition = { $type } is { $status }
ails-phase = is { $phase }
ails-no-endpoints = has no endpoints: no pod that it selects is ready
ails-no-such-target-port = leads nowhere: no ready pod that it selects has a port with the name { $name }
ails-not-served = no ingress controller serves it: requests for its hosts lead nowhere
ails-missing = sends requests to { $object }, which does not exist
ails-over-quota = { $used } of { $resource } are used, and { $hard } are allowed
ails-finalizers = is being deleted, and stays until its finalizers are taken away: { $finalizers }
ails-more = { $n ->
    [one] Something is wrong with one more object.
   *[other] Something is wrong with { $n } more objects.
}
pill-running = Running
pill-looking = Looking
pill-asked = A question is open
pill-waiting = Waiting { $s } s
pill-next = { $n ->
    [one] { $n } next command
   *[other] { $n } next commands
}
pill-actions = { $n ->
    [one] { $n } action possible
   *[other] { $n } actions possible
}
pill-ready = { $have }/{ $want } ready
pill-updated = { $have }/{ $want } updated
pill-failed = Steady; Job { $name } failed
pill-failed-many = Steady; { $n } Jobs failed
pill-succeeded = { $have }/{ $want } succeeded

reading-declared = as declared:
reading-yes = yes
reading-no = no
reading-about = A Deployment can be read in two ways. As a record of intent for ReplicaSets, it is met when one ReplicaSet with its template is to have all its replicas, and every other is to have none. As a record of intent for Pods, it is met when just so many pods of that template are available, and no others are there.
reading-replica-sets = ReplicaSets: { $met } of { $of } Deployments match.
reading-pods = Pods: { $met } of { $of } Deployments match.
reading-only-replica-sets = Read as intent for ReplicaSets it matches: they ask for just these pods. Read as intent for Pods it does not.
reading-only-pods = Read as intent for Pods it matches. Read as intent for ReplicaSets it does not.
reading-neither = It matches neither as intent for ReplicaSets nor as intent for Pods.
reading-early = What was declared is there already; what is left to do does not change that.

## The timeline
timeline-step = step { $n }
timeline-of = of { $n }
timeline-at = step { $at } of { $of }
branches = Other branches
branch = From step { $n }: { $length ->
    [one] { $length } step
   *[other] { $length } steps
}

## The inspector
tab-yaml = YAML
tab-events = Events
tab-history = History
tab-links = Links
tab-request = Request
inspect-nothing = Choose an object in the graph.
inspect-last = the last step
inspect-cpu = CPU, as its node is busy: { $container } wants { $wants } by itself, has the weight { $weight } in its pod, and gets { $gets } of { $of } at most.
inspect-gone = not there now
line-removed = removed:{" "}
owned-by = owned by { $kind } { $name }
yaml-before = { $n } { $n ->
    [one] line
   *[other] lines
} before
yaml-behind = { $n } more { $n ->
    [one] line
   *[other] lines
}
yaml-more = all fields
yaml-less = fewer fields
was = was { $value }
conditions = Conditions
events = Events
none = None.
links-owners = Owned by
links-dependents = Owns
links-selects = Selects
links-selected-by = Selected by
links-node = Runs on
links-pods = Pods on it
links-names = Names
links-named-by = Named by

## A pod and the network
tab-network = Network
journey-url = Request from this pod to
journey-url-outside = Request from outside of the cluster to
journey-follow = Follow
journey-stepper = Go along the way, stop by stop
journey-stop-back = Back
journey-stop-next = Next stop
journey-stop = Stop { $n } of { $of }: { $at }
journey-stops = { $of } stops
journey-about = This is what would become of a request that is sent now. Following it changes nothing in the run.
journey-none = There is no Service to ask. Type a URL, such as http://web.
journey-none-outside = Nothing here is reached from outside of the cluster by an address of its own. Type a URL with the address of a node, such as http://172.18.0.2:30080; after it there can be host=NAME.
journey-not-running = The pod does not run on any node, so it cannot send a request.
journey-url-scheme = Only http:// and https:// can be followed.
journey-url-port = The port must be a number from 1 to 65535.
journey-url-host = The URL has no host.
journey-url-words = This is not an address. Type one without spaces, for example http://web:80; after it there can be host=NAME, and nothing else.
journey-answered = Answered with { $status }.
journey-answered-by = Answered with { $status } by { $by }.
journey-takes = The answer takes { $time }: the server is as busy as at this moment.
journey-stale = kube-proxy is behind: the EndpointSlice does not call this endpoint ready any more.
journey-wait-stopped = The rules of { $node } wait for its kube-proxy, which does not run: they stay as they are.
journey-wait-news = The rules of { $node } wait for news: its kube-proxy has not been told yet of every change of Services and EndpointSlices.
journey-wait-work = The rules of { $node } wait for its kube-proxy, which has heard of a change, works them out and writes them in { $s } s.
journey-wait-period = The rules of { $node } wait for { $s } s more: its kube-proxy has heard of a change, but leaves at least a second between two syncs (minSyncPeriod).
journey-behind-proxy = The controller is behind: the EndpointSlice does not call the endpoint ready any more that it asked.
journey-via = The ingress controller { $pod } passes it on
journey-via-answers = The ingress controller { $pod } answers by itself
journey-via-rule = Ingress { $of }: { $host }{ $path } ({ $type }) leads to the Service { $service }
journey-via-gateway = The nginx of the Gateway, { $pod }, passes it on
journey-via-gateway-answers = The nginx of the Gateway, { $pod }, answers by itself
journey-via-route = HTTPRoute { $of }: { $host }{ $path } ({ $type }) leads to the Service { $service }
journey-via-route-alone = HTTPRoute { $of } has a rule for { $host }{ $path } ({ $type })
journey-via-default = no rule is for the path: the host { $host } leads to the Service { $service } by its default backend
journey-via-none = no rule is for the host { $host } with this path
journey-via-no-service = the Service { $service } does not exist
journey-via-no-port = the Service { $service } has no such port
journey-via-no-endpoints = the Service { $service } has no endpoints that are ready
journey-via-not-resolved = the rule's reference to its backend cannot be used: the route's condition ResolvedRefs says why
journey-via-bad-filter = a filter of the rule cannot be used: the route's conditions say why
journey-via-no-weight = none of the rule's backends has a weight
journey-via-no-address = the host has no address
journey-via-nginx = The nginx in { $pod } passes it on
journey-via-nginx-answers = The nginx in { $pod } answers by itself
journey-via-location-of = the configuration that is mounted there: location { $path } of the server { $host }
journey-via-server-of = the configuration that is mounted there: the server { $host }
journey-via-failed = asked before, in vain: { $endpoints }
journey-via-location = sent to { $location }
journey-names = What it asks the DNS
journey-name-silence = no answer
journey-name-empty = no address of this type
journey-within = It does not leave the network of { $pod }.
journey-way = The way of its first packet
journey-back = The way of the answer
journey-back-about = No rule is asked for the answer. Each node that translated the first packet keeps the connection (conntrack) and translates the answer back.
journey-end-pod = arrives at { $pod } on { $node }
journey-end-node = arrives at { $node }
journey-end-refused-pod = arrives at { $pod } on { $node }, where no process listens on port { $port }: the pod’s kernel answers with a reset (connection refused)
journey-end-refused-node = arrives at { $node }, where no process listens on port { $port }: its kernel answers with a reset (connection refused)
journey-end-neighbour = arrives at a machine that is not a node of this cluster
journey-end-outside = leaves the cluster
journey-end-lost = lost: no route leads there, or nobody has the address
journey-end-rejected = rejected by a rule of kube-proxy
journey-end-dropped = dropped by a rule of kube-proxy
journey-end-denied = dropped: no rule of { $policies } allows it
journey-end-untracked = dropped: nobody on { $node } has asked the address that the answer comes from
hop-process = Process
hop-process-of = Process in { $pod }
hop-kernel = Kernel
hop-kernel-of = The kernel, in the network of { $pod }
hop-pod-interface = The pod’s network interface
hop-veth = The node’s end of the pod’s virtual cable
hop-bridge = The bridge of the node’s pods
hop-kube-proxy = kube-proxy’s rules
hop-route = Routing table
hop-policy = NetworkPolicy drops it
hop-masquerade = The source becomes the node’s address
hop-conntrack = The connection that the node keeps: the answer is translated back
hop-tunnel = The tunnel’s interface
hop-user-space = A process of the network plugin
hop-interface = The node’s network interface
hop-interface-outside = The machine’s network interface
hop-balancer = The load balancer in front of the cluster chooses the node
hop-own-machine = Your own machine, outside of the cluster
hop-packed = packed into { $source } → { $destination } UDP, { $bytes } bytes more: a pod can send { $mtu } at a time{ $copies ->
    [0] {""}
   *[other] , and each node copies them { $copies } times between kernel and process
}

## The scheduler and a pod
tab-scheduling = Scheduling
sched-gone = There is no such pod now.
sched-phase-bound = The pod is on { $name }.
sched-phase-claims = { $name } is chosen for the pod. Its claims are being bound before the pod itself.
sched-phase-chosen = { $name } is chosen for the pod, and the binding is being sent.
sched-phase-other = The pod asks for the scheduler { $name } in spec.schedulerName. No scheduler of that name runs here, so the pod stays without a node.
sched-phase-unheard = The scheduler does not know this pod yet: the watch event is still on its way.
sched-phase-none = No scheduler runs, so the pod stays without a node.
sched-queue-active =
    { $n ->
        [0] It is the next pod to be scheduled.
        [one] 1 pod is before it.
       *[other] { $n } pods are before it.
    }
sched-queue-backoff = Its back-off ends in { $s } s. It is taken before that if no pod is in activeQ.
sched-queue-backoff-error = Its last attempt ended with an error, and the next one begins in { $s } s.
sched-queue-unschedulable = It waits for an event that may help, and is tried in { $s } s without one.
sched-queue-gated = { $plugin } keeps it out of activeQ until its scheduling gates are removed: { $gates }.
sched-queue-claims = DynamicResources keeps it out of activeQ until its ResourceClaims can be used: { $why }.
sched-queue-preempts = { $plugin } keeps it out of activeQ while the pods that are evicted for it are being deleted.
sched-attempts =
    { $n ->
        [one] 1 attempt so far.
       *[other] { $n } attempts so far.
    }
sched-nominated = It is nominated to { $name }.
sched-refused-by = Refused by, and events that may help
sched-hints = For each of these events the plugin’s QueueingHint decides whether this one helps.
sched-tried-named = It was created with spec.nodeName, so no scheduler was asked.
sched-tried-not-in-run = This run does not contain the moment at which it was scheduled.
sched-when = Which attempt is shown
sched-then = Step { $n }
sched-now = Now
sched-now-bound = What a cycle would find now if the pod had no node yet.
sched-now-waits = What its next cycle would find.
sched-now-unheard = What its first cycle would find, once the scheduler has been notified.
sched-no-table = The scheduler has nothing to say about this pod now.
sched-now-gated = What a cycle would find now. No cycle begins while the pod is kept out of activeQ.
sched-far = The cycle lies too many steps back to be computed beside the page.
sched-go = Go to that step
sched-end-one = { $fit } of { $of } nodes fits, so the pod gets { $name } and nothing is scored.
sched-end-best = { $fit } of { $of } nodes fit. The pod gets { $name }, which has the highest sum.
sched-end-tie = { $fit } of { $of } nodes fit. { $ties } of them have the highest sum, and chance decides between these: the pod gets { $name }.
sched-end-nowhere = No node fits.
sched-end-failed = A plugin could not decide.
sched-pre-filter = { $plugin } refuses the pod in PreFilter, before any node is looked at:
sched-not-visited =
    { $n ->
        [one] 1 node was not visited: enough nodes had been found that fit.
       *[other] { $n } nodes were not visited: enough nodes had been found that fit.
    }
sched-evict =
    { $n ->
        [one] DefaultPreemption evicts 1 pod from { $name }, to which this pod is nominated
       *[other] DefaultPreemption evicts { $n } pods from { $name }, to which this pod is nominated
    }
sched-evict-budget =
    { $n ->
        [one] 1 of these evictions violates a PodDisruptionBudget.
       *[other] { $n } of these evictions violate a PodDisruptionBudget.
    }
sched-priority = priority { $n }
sched-caption = What each plugin says about each node
sched-filter = Filter
sched-score = Score
sched-score-how = score × weight; small: raw → 0 to 100
sched-sum = Sum
sched-filters-pass =
    { $n ->
        [one] 1 filter lets these nodes in
       *[other] { $n } filters let all of these nodes in
    }
sched-filters-less = Show only the filters that refuse
sched-fits = lets the node in
sched-late = not asked: an earlier filter had refused the node
sched-not-asked = not asked
sched-not-scored = not scored
sched-for-nominated = because of the pods nominated there
sched-col-chosen = chosen
sched-col-fits = fits
sched-col-refused = refused
sched-col-left-out = left out in PreFilter
sched-col-unseen = not visited
sched-col-more = +{ $n }
sched-more =
    { $n ->
        [one] Show 1 more column ({ $nodes } nodes)
       *[other] Show more of { $n } hidden columns ({ $nodes } nodes)
    }
sched-alike = Equal nodes share a column
sched-why = Why?
sched-why-about = What the scheduler says about { $name }
request-body = Request
response-body = Response
request-none = No request led here.
actions = What you can do to it
act-more = One more
act-fewer = One fewer
act-restart = Restart rollout
act-more-at-most = Allow one more
act-suspend = Suspend
act-unsuspend = Resume
act-run-now = Run now
act-pause = Pause
act-resume = Resume
act-undo = Undo
act-cordon = Cordon
act-uncordon = Uncordon
act-drain = Drain
act-delete = Delete
act-node-down = Cut it off
act-node-up = Bring it back
act-restart-kubelet = Restart the kubelet
act-crash = Crash
crash-container = Which container
crash-code = with exit code
act-break = Break it
act-cut-kubelet = Cut its watches
act-stop-proxy = Stop its kube-proxy
act-start-proxy = Start its kube-proxy
act-evict = Evict
act-evict-about = Through the Eviction subresource, which asks the disruption budgets first
act-probe-fails = Let the { $probe } probe of { $what } fail
act-probe-fails-about = From now on, until it is let pass again.
act-probe-passes = Let the { $probe } probe of { $what } pass again
act-probe-passes-about = It answers as it did before.
act-image-gone = Take image { $what } out of the registry
act-image-gone-about = Nodes that have it keep it; the others cannot pull it any more.
act-image-back = Put image { $what } back
act-image-back-about = It can be pulled again.
act-mount-fails = Let mounts of volume { $what } fail
act-mount-fails-about = A CSI driver on the node refuses to mount it; where it is mounted, it stays so.
act-mount-works = Let volume { $what } be mounted again
act-mount-works-about = The driver answers as it did before.

## What happened
said = { $who }: { $what }
said-because = { $who }: { $what }, because { $why }
said-more = { $first } (and { $n } more)
said-nothing = Nothing was written.
said-imported = Your cluster was imported as it was. Change something, or run.
said-start = The cluster has booted. Nothing is declared yet.
said-you = You: { $what }
said-executed = You, in container { $container } of { $pod }: { $command }
said-node-down = You cut { $what } off.
said-node-up = You brought { $what } back.
said-restart = You restarted { $what }.
said-watches = You cut the watches of { $what }.
said-stop = { $what ->
    [kube-apiserver] You stopped the controllers in kube-apiserver.
   *[other] You stopped { $what }.
}
said-manifest-put = You put the manifest { $file } of a static pod on { $node }.
said-manifest-remove = You took the manifest { $file } away from { $node }.
said-kube-proxy-installed = You gave each node a kube-proxy that can be stepped ({ $what }).
said-network-plugin = You connected the pods with another network plugin: { $what }.
said-kube-proxy-removed = You took the kube-proxies away again: every node has its rules at once.
said-metrics-server-installed = You installed the metrics server.
said-metrics-server-removed = You removed the metrics server.
said-coredns-installed = You added CoreDNS to the cluster: its pods answer names from now on.
said-coredns-removed = You deleted the objects of CoreDNS: the cluster's DNS is no object again.
said-ingress-installed = You installed the ingress controller ingress-nginx: it serves Ingresses of the class nginx.
said-ingress-removed = You deleted the objects of ingress-nginx: nobody acts on Ingresses any more.
said-gateway-installed = You installed the Gateway API and NGINX Gateway Fabric: it serves Gateways of the class nginx.
said-gateway-removed = You deleted the objects of NGINX Gateway Fabric: nobody acts on Gateways and routes any more.
said-start-process = { $what ->
    [kube-apiserver] You started the controllers in kube-apiserver.
   *[other] You started { $what }.
}
said-replicate = You started one more { $what }: it waits for the lease.
said-member-down = You cut etcd member { $what } off.
said-member-up = You brought etcd member { $what } back.
said-controllers = You let { $process } run with --controllers={ $controllers }.
said-wait = You let time pass.
said-compact = You compacted etcd: its history is gone, what is stored stays.
said-crash = You let container { $container } of { $what } end with exit code { $code }.
said-probe-fails = You let the { $probe } probe of { $what } fail.
said-probe-passes = You let the { $probe } probe of { $what } pass again.
said-image-gone = You took the image { $what } out of the registry.
said-image-back = You put the image { $what } back into the registry.
said-mount-fails = From now on volume { $what } cannot be mounted.
said-mount-works = Volume { $what } can be mounted again.
action-list = { $who } lists every { $kind }
action-watch = a watch event about a { $kind } reaches { $who }
action-pop = a { $kind } goes from the delta FIFO into the cache
action-notify = its handler hears of a { $kind }
action-start = its worker takes the next key
action-send = its request is sent and answered
action-record = its next event is written
action-advance = time passes
action-informers = the informers of { $who } follow the kinds it knows
out-listed = Listed { $kind }: { $n ->
    [one] { $n } object
   *[other] { $n } objects
}
out-expired = { $kind }: 410 Gone, too old resource version: { $seen } ({ $oldest }); listed anew: { $n } objects
out-reflected = A watch event about { $object } entered the delta FIFO
out-indexed = { $object } was taken into the cache
out-handled = The handler heard of { $object } and enqueued keys
out-started = The worker took { $key }; its sync runs to its first request
out-synced = The worker took { $key }; its sync sent nothing to the API server
out-recorded = An event was written
out-informers = Informers that started: { $started }; that stopped: { $stopped }
out-advanced = Time passed: { $s } s

## Messages
steady-act-ahead = The cluster is steady here. What follows in this run is what you did; Step does it again.
step-reads = The cluster is steady, and the process in the terminal waits for a line: type one there.
steady-process = The cluster is steady. The command in the terminal waits for time to pass: Step lets it pass until that command goes on.
step-nothing = Nothing is left to do, and no schedule is due. Change something, or break something.
limit-runs = Stopped: { $n } runs of schedules came due on the way, and something was always running. It may never come to rest by itself. “To steady” goes on; the clock has moments to run to.
moment-nothing = Time cannot pass to that moment.
stepping = Looking for the next command
setting-up = Setting up: { $n } steps
still-loading = a run is being opened; stop that first, or wait
stopped-work = Stopped. Your work is among your runs, in the scenarios menu.
stopped-link = Stopped: it was not opened.
link-opened-first = Opened the link.
evicted = pod/{ $pod } evicted
close = Close
whole = The whole message
running = { $n } steps
restoring = Step { $done } of { $of }
limit-refused = Stopped: the API server has refused { $n } commands in a row (“{ $why }”). As long as it does, the cluster does not come to rest.
limit-steps = Stopped after { $n } steps in one run.
save-full = Your work ({ $kb } KB) does not fit into this browser's storage, so a reload would lose it. Share it as a link to keep it.
link-refused = This link was not opened, your work is as it was: { $why }
link-newer = it was made by a newer version of this page. Reload the page, or open the link where it was made.
link-large = it is larger than { $n } bytes.
link-damaged = it is damaged ({ $what }). Ask for it again.
link-limit = it asks for more than { $n } { $what }.
link-opened = Opened the link. Your own work is among your runs, in the scenarios menu.
link-differs = This run ends otherwise here than where the link was made: the page has changed since.

## Keys
key-run = Run or pause
key-choose = Choose a next command
key-policy = Who goes next
key-editor = To the manifest
key-terminal = To kubectl
key-graph = To the graph, then arrow keys
key-menu = What can be done to the object
key-filter = Filter the graph
key-alone = The graph alone
key-timeline = To the timeline, then arrow keys
key-apply = Apply the manifest
keys-editor = In the editor Tab indents; Escape, then Tab, leaves it.

## The editor's own words (CodeMirror's); a dollar sign stands for a number
cm-find = Find
cm-replace = Replace
cm-next = next
cm-previous = previous
cm-all = all
cm-match-case = match case
cm-by-word = by word
cm-regexp = regexp
cm-replace-one = replace
cm-replace-all = replace all
cm-close = close
cm-current-match = current match
cm-on-line = on line
cm-replaced-one = replaced match on line $
cm-replaced = replaced $ matches
cm-go-to-line = Go to line
cm-go = go
cm-completions = Completions
cm-diagnostics = Mistakes
cm-no-diagnostics = No mistakes
cm-selection-deleted = Selection deleted
cm-control-character = Control character
cm-folded = folded code
cm-unfold = unfold
cm-fold-line = Fold line
cm-unfold-line = Unfold line
cm-folded-lines = Folded lines
cm-unfolded-lines = Unfolded lines
cm-to = to
cm-duplicate-first = The key $1 stands again in line $2, and kubectl takes that one
cm-duplicate-last = The key $1 stands in line $2, too: kubectl takes this last one

## Why: one for each rule of the library
why-claim_objects-adopt = its labels match and it has no owner
why-claim_objects-release = its labels do not match any more
why-manage_replicas-create = { $want ->
    [one] { $want } is wanted
   *[other] { $want } are wanted
} and { $have ->
    [0] none exists
    [one] { $have } exists
   *[other] { $have } exist
}
why-manage_replicas-delete = { $want ->
    [0] none is wanted
    [one] { $want } is wanted
   *[other] { $want } are wanted
} and { $have ->
    [one] { $have } exists
   *[other] { $have } exist
}
why-manage_job-create = { $want ->
    [one] { $want } pod may run
   *[other] { $want } pods may run
} at a time, { $have ->
    [one] { $have } does
   *[other] { $have } do
}, and { $succeeded ->
    [one] { $succeeded } has succeeded
   *[other] { $succeeded } have succeeded
}
why-manage_job-delete = { $want ->
    [one] { $want } pod may run
   *[other] { $want } pods may run
} at a time, and { $have ->
    [one] { $have } does
   *[other] { $have } do
}
why-manage_job-suspend = its Job is suspended
why-delete_active_pods = its Job ends: { $reason }
why-track_job_status = it counts { $active } active, { $ready } ready, { $succeeded } succeeded, { $failed } failed, { $terminating } terminating
why-enact_job_finished-complete = { $succeeded } have succeeded, and each pod is counted: the Job is complete
why-enact_job_finished-failed = the Job has failed: { $message }
why-remove_tracking_finalizer = its phase is { $phase }, and the Job's status has noted it
why-sync_orphan_pod = no Job that runs counts it any more
why-process_job-expired = it ended { $ttl } s ago, and is kept no longer
why-sync_cron_job-create = its schedule { $schedule } has a run at { $at }
why-sync_cron_job-replace = the next run is due, and it replaces this one
why-sync_cron_job-status = it has { $active ->
    [0] no active Job
    [one] { $active } active Job
   *[other] { $active } active Jobs
}, and its last run was at { $last }
why-remove_oldest_jobs = { $have ->
    [one] one Job that ended is
   *[other] { $have } Jobs that ended are
} there, and { $limit ->
    [one] one is kept
   *[other] { $limit } are kept
}
why-reconcile_autoscaler-above_target = { $metric } is at { $have }, and the target is { $want }: { $current ->
    [one] one replica is
   *[other] { $current } replicas are
} too few
why-reconcile_autoscaler-below_target = its metrics are below their targets, and have been for long enough: { $current ->
    [one] one replica is
   *[other] { $current } replicas are
} too many
why-reconcile_autoscaler-above_max = it has { $current } replicas, and the maximum is { $max }
why-reconcile_autoscaler-below_min = it has { $current } replicas, and the minimum is { $min }
why-reconcile_autoscaler-limits = { $metric } is at { $have }, and of the recent recommendations { $desired } replicas are left
why-reconcile_autoscaler-status = { $reason ->
    [SucceededRescale] it has changed the size of its target to { $desired }
    [ReadyForNewScale] its target has the size that the metrics ask for: { $current }
    [ScaleDownStabilized] fewer replicas would do, but more were asked for in its stabilization window (five minutes by default)
    [ScaleUpStabilized] more replicas are asked for, but not for long enough
    [ScalingDisabled] its target was scaled to zero, and so the autoscaler rests
    [FailedGetScale] it cannot read the size of its target
    [FailedGetResourceMetric] it cannot read what the pods use, and so it does nothing
    [counts] it counts { $current } replicas, and wants { $desired }
   *[other] it counts { $current } replicas, and wants { $desired } ({ $reason })
}
why-new_replica_set-create = no ReplicaSet has { $deployment }'s template yet; it begins with { $replicas } of { $want }
why-new_replica_set-created = ReplicaSet { $replica_set } is its revision { $revision } now
why-new_replica_set-found = ReplicaSet of revision { $revision } has this template already
why-new_replica_set-update = the ReplicaSet with { $deployment }'s template becomes revision { $revision }
why-new_replica_set-collision = another ReplicaSet is called { $replica_set }: a new name is tried
why-new_replica_set-failed = its ReplicaSet could not be created: { $error }
why-sync_rollout_status = it counts { $updated } of { $want } updated, { $ready } ready, { $available } available
why-cleanup_deployment = { $old ->
    [one] one old ReplicaSet is kept
   *[other] { $old } old ReplicaSets are kept
}, the limit is { $limit }: revision { $revision } goes
why-rollback = it goes back to revision { $revision }
why-selects_everything = its selector matches everything
why-check_paused_conditions = it is { $paused ->
    [true] paused
   *[other] resumed
}
why-reconcile_new_replica_set-up = the new ReplicaSet may grow from { $from } to { $to }: at most { $max } pods in all
why-reconcile_new_replica_set-down = the new ReplicaSet has { $from }, and { $to } are wanted
why-scale_down_old_replica_sets = the old ReplicaSet may shrink from { $from } to { $to }: at least { $min } stay available
why-scale_down_old_replica_sets_for_recreate = all old pods go before new ones come: { $from } to { $to }
why-scale_up_new_replica_set_for_recreate = the old pods are gone, so { $to } new ones may come
why-scale-only = { $want } are wanted, the only ReplicaSet has { $from }
why-scale-saturated = the new ReplicaSet has all, so the old one goes from { $from } to { $to }
why-scale-proportion = in the middle of a rollout each ReplicaSet gets its share: { $from } to { $to }
why-update_replica_set_status = it counts { $replicas ->
    [one] { $replicas } pod
   *[other] { $replicas } pods
}, { $ready } ready, { $available } available
why-controller_revision-create = { $owner }'s template is new, and this is its revision { $revision }
why-controller_revision-renumber = its template is the newest one again: revision { $before } becomes { $revision }
why-controller_revision-delete = no pod has { $old ->
    [one] the old revision
   *[other] one of the { $old } old revisions
}, and { $limit ->
    [one] one is kept
   *[other] { $limit } are kept
}: revision { $revision } goes
why-controller_revision-label = revision { $revision } has no hash yet
why-controller_revision-relabel_pod = two revisions have the same template, and { $revision } is kept
why-controller_revision-duplicate = revision { $kept } has the same template
why-controller_revision-collision = another revision is called { $name }: a new name is tried
why-manage-create = { $node } should have a pod of { $set }, and has none of its newest template
why-manage-ended = { $pod } on { $node } is { $phase }, and a new one takes its place
why-manage-surplus = { $node } has a pod already that is older than { $pod }
why-manage-not_wanted = { $node } should not have { $pod } any more: a label or a taint has changed
why-manage-node_gone = { $pod } waits for { $node }, which is gone
why-rolling_update-replace = { $pod } on { $node } is not of revision { $revision }
why-update_daemon_set_status = of { $desired } nodes that should have a pod, { $current } have one: { $ready } ready, { $available } available, { $updated } updated
why-process_replica-create = of { $want } wanted in order, { $pod } is the first that is missing
why-process_replica-create_parallel = of { $want } wanted at once, { $pod } is missing
why-process_replica-ended = { $pod } is { $phase }, and a pod of a StatefulSet is always made anew
why-process_condemned = { $want ->
    [0] none is wanted
    [one] { $want } is wanted
   *[other] { $want } are wanted
}, and of those that are too many { $pod } has the highest ordinal
why-update_stateful_set-replace = of the pods that are not of revision { $new }, { $pod } has the highest ordinal{ $partition ->
    [0] {""}
   *[other] , and pods from ordinal { $partition } on are replaced
}
why-update_stateful_pod = name, labels or volumes of { $pod } are not those of its place
why-create_claims = { $set } has a claim template, so { $pod } gets a claim of its own
why-update_claim_owner = its retention policy is { $deleted } when the set is deleted, and { $scaled } when its pod is scaled away
why-update_stateful_set_status = it counts { $replicas ->
    [one] { $replicas } pod
   *[other] { $replicas } pods
}, { $ready } ready, { $available } available, { $updated } updated
why-schedule_one-bind = { $feasible ->
    [one] of { $nodes } nodes it fits on { $node } alone
   *[other] of the { $feasible } nodes it fits on, of { $nodes }, { $node } has the best score
}
why-schedule_one-unschedulable = no node fits: { $message }
why-schedule_one-preempt = { $victim } makes room for { $pod } on { $node }
why-preemption-clear_nomination = { $preemptor }, which is more important, takes the room on { $node } that { $pod } was promised
why-endpoints-sync_service = ready pods behind { $service }: { $ready }
why-endpoints-service_gone = { $service } is gone, and so are its endpoints
why-endpointslice-reconcile = pods behind { $service } in this slice: { $endpoints }
why-endpointslicemirroring-reconcile = these Endpoints were not made by a controller: slices show the same
why-update_pdb_status = { $healthy } of { $budget }'s pods are healthy, { $desired } have to be: { $allowed } may be disrupted
why-update_pdb_status-fail_safe = its pods could not be counted, so none may be disrupted: { $error }
why-sync_stale_pod_disruption = { $pod } was to be disrupted, and that did not happen
why-sync_unbound_claim-default_class = it names no class, and { $class } is the default one
why-bind-volume = volume { $volume } suits claim { $claim }, so it is bound to it
why-bind-claim = claim { $claim } has volume { $volume } now
why-update_claim_status = the claim's phase is { $claim }, and it is { $phase } now
why-update_volume_phase = the volume's phase is { $volume }, and it is { $phase } now
why-unbind_volume = its claim is bound to another volume
why-delete_volume = it is { $volume }, and its policy is Delete
why-delete_volume-finalizer = the storage of { $volume } is deleted, so nothing has to be kept
why-update_volume_migration = volume { $volume } was provisioned by { $provisioner }, and does not say who looks after it now
why-update_claim_migration = claim { $claim } is to be provisioned by { $provisioner }, and does not say whether a CSI driver does that now
why-provision_claim = claim { $claim } wants a volume of { $provisioner }
why-volume_protection-remove_finalizer = it is deleted and { $phase }: no claim has it any more
why-volume_protection-add_finalizer = a volume is kept while it is bound
why-claim_protection-remove_finalizer = { $claim } is deleted, and no pod uses it
why-attributes_class_protection-remove_finalizer = { $class } is deleted, and neither claim nor volume names it
why-attributes_class_protection-add_finalizer = a VolumeAttributesClass is kept while a claim or a volume names it
why-admission_policy_status-check = the expressions of { $policy } have not been checked yet as they are now
why-claim_protection-add_finalizer = a claim is kept while a pod uses it
why-nodeipam-allocate = node { $node } has no range for its pods, and { $range } is free
why-clusterrole_aggregation-apply = the roles that { $role } gathers have other rules than it: { $rules } in all
why-ttl-update_node = in a cluster of { $nodes } nodes a kubelet may keep what it has read for { $seconds } s
why-servicecidr-add_finalizer = a ServiceCIDR is kept while Services have addresses of it
why-servicecidr-ready = the addresses of { $cidr } can be given out now
why-servicecidr-terminating = { $cidr } is deleted, but { $address } is in use and no other ServiceCIDR has it
why-servicecidr-remove_finalizer = { $cidr } is deleted, and no Service needs it
why-default_servicecidr-create = the API server was started with { $range } for Services, and that ServiceCIDR is missing
why-default_servicecidr-upgrade = it has one of the ranges { $range } that the API server was started with
why-default_servicecidr-ready = it has the range that the API server was started with, and is not marked as ready yet
why-ipallocator_repair-create = { $service } has the address { $address }, and no IPAddress says so
why-ipallocator_repair-recreate = the IPAddress { $address } does not say that { $service } has the address
why-ipallocator_repair-delete = Service { $service } does not have the address { $address }
why-provisioner-provision = claim { $claim } of class { $class } has no volume yet
why-provisioner-delete = it is { $volume }, and its policy is Delete
why-provisioner-remove_finalizer = its storage is freed
why-attach_desired_volumes-attach = pod { $pod } on node { $node } needs volume { $volume }, which is not attached there
why-reconcile-detach = { $because ->
        [timeout] node { $node } has been lost for six minutes and still has volume { $volume } in use, so it is detached by force
        [out-of-service] node { $node } is declared out of service, so volume { $volume } is detached by force
       *[other] no pod on node { $node } needs volume { $volume } any more, and the kubelet has unmounted it
    }
why-update_node_status = the volumes that are attached to { $node } have changed: { $before } before, { $count } now
why-expand-set_claim_resizer = claim { $claim } asks for more storage than its volume has; { $resizer } is to expand it
why-ephemeral-create_claim = volume { $volume } of pod { $pod } is ephemeral and has no claim yet
why-resourceclaim-create_claim = pod { $pod } names the template { $template } for its claim { $claim }, which was not made yet
why-resourceclaim-record_claims = { $count ->
        [one] a claim was made for pod { $pod }
       *[other] { $count } claims were made for pod { $pod }
    }
why-resourceclaim-reserve = pod { $pod } has a node, and its claim { $claim } has devices and is not reserved for it
why-resourceclaim-release = { $gone ->
        [one] one of the pods that claim { $claim } is reserved for is done
       *[other] { $gone } of the pods that claim { $claim } is reserved for are done
    }; { $left ->
        [0] nobody uses it any more, so its devices are free
       *[other] { $left } still use it
    }
why-resourceclaim-deallocate = claim { $claim } is being deleted and nobody uses it
why-resourceclaim-remove_finalizer = claim { $claim } has no devices any more
why-resourceclaim-delete = it was made for pod { $pod }, which will not run any more
why-attacher-add_finalizer = it is kept until volume { $volume } is detached from { $node }
why-attacher-attach = the driver has attached volume { $volume } to { $node } (ControllerPublishVolume)
why-attacher-refuse = the driver cannot attach volume { $volume } to { $node } (ControllerPublishVolume has failed)
why-attacher-detach = it is deleted, and the driver has detached volume { $volume } from { $node } (ControllerUnpublishVolume)
why-attacher-remove_finalizer = volume { $volume } is detached from { $node }
why-resizer-mark = claim { $claim } asks for { $size }: { $state ->
        [NodeResizePending] the storage has it, and the file system on the node is to follow
       *[other] the storage is being expanded
    }
why-resizer-expand_volume = claim { $claim } asks for { $size }, and the storage of volume { $volume } has it now
why-resizer-finish = the volume of claim { $claim } has { $size } now
why-ingress_nginx-first_sync = the controller in { $pod } has started: its nginx gets { $servers } servers with { $routes } locations, and opens its ports
why-ingress_nginx-reload = the Ingresses lead otherwise than the nginx of { $pod } does: it had { $before } locations, and gets { $routes }
why-ingress_nginx-endpoints = the nginx of { $pod } { $change ->
    [added] led to { $before ->
        [one] one endpoint
       *[other] { $before } endpoints
    } of { $service }, and shall lead to { $count }: also to { $new }
    [removed] led to { $before ->
        [one] one endpoint
       *[other] { $before } endpoints
    } of { $service }, and shall lead to { $count }: no longer to { $gone }
    [replaced] led to { $before ->
        [one] one endpoint
       *[other] { $before } endpoints
    } of { $service }, and shall lead to { $count }: to { $new }, no longer to { $gone }
   *[same] leads to the same { $count ->
        [one] endpoint
       *[other] { $count } endpoints
    } of { $service } as before; something else about them has changed: their port, or a setting of the Service
}
why-ingress_nginx-backends = the endpoints of { $services } Services are others than the nginx of { $pod } has
why-ingress_nginx-update_status = the controller is ready on nodes with the addresses { $addresses }, and { $ingress } does not say so; { $pod } leads
why-gateway_fabric-provision = { $gateway } is to have an nginx of its own, and its { $kind } { $name } is not there
why-gateway_fabric-put_right = the { $kind } { $name } is not as the nginx of { $gateway } needs it
why-gateway_fabric-deprovision = { $gateway } cannot be served, and its { $kind } { $name } is still there
why-gateway_fabric-first_configuration = the nginx of { $pod } has started and has connected: it gets { $rules } rules, and opens { $ports }
why-gateway_fabric-reload = Gateway and routes lead otherwise than the nginx of { $pod } does: it had { $before } rules, and gets { $rules }
why-gateway_fabric-endpoints = the nginx of { $pod } { $change ->
    [added] led to { $before ->
        [one] one endpoint
       *[other] { $before } endpoints
    } of { $service }, and shall lead to { $count }: also to { $new }
    [removed] led to { $before ->
        [one] one endpoint
       *[other] { $before } endpoints
    } of { $service }, and shall lead to { $count }: no longer to { $gone }
    [replaced] led to { $before ->
        [one] one endpoint
       *[other] { $before } endpoints
    } of { $service }, and shall lead to { $count }: to { $new }, no longer to { $gone }
   *[same] leads to the same { $count ->
        [one] endpoint
       *[other] { $count } endpoints
    } of { $service } as before; something else about them has changed: their port, or a setting of the Service
}
why-gateway_fabric-upstreams = the endpoints of { $services } Services are others than the nginx of { $pod } has
why-gateway_fabric-class_status = { $object } names this controller, and its status does not say what the controller found: { $verdict }
why-gateway_fabric-route_status = { $object } names a Gateway of this controller, and its status does not say what the controller found: { $verdict }
why-gateway_fabric-gateway_status = the status of { $object } does not say what the controller found: { $verdict }; addresses: { $addresses }; attached routes: { $routes }
why-ingress_nginx-clear_status = no pod of the controller is left that serves { $ingress }: { $pod } takes its address back
why-kube_proxy-first_sync = kube-proxy has started on { $node } and wrote the rules of { $services } ports of Services
why-kube_proxy-sync_proxy_rules = the rules of { $service } on { $node } { $change ->
    [added] led to { $before ->
        [one] one endpoint
       *[other] { $before } endpoints
    }, and shall lead to { $count }: also to { $new }
    [removed] led to { $before ->
        [one] one endpoint
       *[other] { $before } endpoints
    }, and shall lead to { $count }: no longer to { $gone }
    [replaced] led to { $before ->
        [one] one endpoint
       *[other] { $before } endpoints
    }, and shall lead to { $count }: to { $new }, no longer to { $gone }
   *[same] lead to the same { $count ->
        [one] endpoint
       *[other] { $count } endpoints
    } as before; something else about them has changed: which of them are ready or end, their port, or a setting of the Service
}
why-kube_proxy-sync_several = the rules of { $services } ports of Services on { $node } are out of date
why-kube_proxy-sync_node = the labels or addresses of { $node } have changed
why-kubelet-allocatable = { $node } reserves something else for itself, so that pods may use another amount of it
why-kubelet-pressure = its condition { $condition } changes from { $before } to { $now }: what its pods, its images and its system use has changed
why-kubelet-volumes_in_use = the attachable volumes that its pods use have changed: { $before } before, { $count } now
why-kubelet-update_csi_node = { $registered ->
        [yes] CSI driver { $driver } is installed, and its plug-in is registered on { $node }
       *[other] CSI driver { $driver } is no longer installed on { $node }
    }
why-kubelet-write_volumes = { $source } has changed, and the pod is synced: the files of its volume { $volume } are written anew on { $node }
why-kubelet-write_token = four fifths of the life of the token in { $volume } are over: { $node } gets a new one and writes it
why-kubelet-write_downward = the pod itself has changed: the files of its volume { $volume } say so now, on { $node }
why-kubelet-node_stage_volume = { $volume } is attached to the node, and no pod there has it yet: it is mounted once for the node (NodeStageVolume)
why-kubelet-node_publish_volume = { $volume } is staged on the node: it is mounted for this pod (NodePublishVolume)
why-kubelet-node_publish_inline_volume = the pod itself asks for { $volume }: its driver makes and mounts it for this pod (NodePublishVolume)
why-kubelet-node_unpublish_volume = its containers have ended: { $volume } is unmounted for this pod (NodeUnpublishVolume)
why-kubelet-node_unstage_volume = no pod of the node has { $volume } any more: it is unmounted for the node (NodeUnstageVolume)
why-kubelet-node_expansion_in_progress = the volume of { $claim } has grown, so its file system is expanded on { $node }
why-kubelet-node_expansion_finished = the file system of { $claim } has been expanded on { $node }
why-binding_cycle-nominate = { $pod } will go to { $node } once its claims are bound
why-binding_cycle-bind_volume = { $volume } suits { $claim } on { $node }
why-binding_cycle-select_node = { $pod } goes to { $node }, so the volume of { $claim } is to be made there
why-binding_cycle-protect_claim = { $claim } is about to get devices for { $pod }: it must not go as long as it has them
why-binding_cycle-allocate = { $pod } gets a node, and these are the devices there that { $claim } asks for
why-binding_cycle-reserve = { $pod } gets a node on which the devices of { $claim } can be used, and uses them, too
why-binding_cycle-unreserve = { $pod } was not bound, so { $claim } is not reserved for it any more
why-schedule_one-deallocate = the devices of { $claim } keep { $pod } from every node, and nobody else uses them
why-binding_cycle-failed = its claims could not be bound: { $message }
why-kubelet-admit = { $node } does not take it: { $reason }
why-kubelet-sync_pod = { $what }
why-kubelet-sync_terminating_pod = { $what }
why-kubelet-can_be_deleted = all its containers have stopped
why-kubelet-create_mirror_pod = { $node } runs it as a static pod, and the API server has no object that shows it
why-kubelet-mirror_pod_deleting = somebody deletes it, but it only shows a static pod that { $node } runs: it is made anew
why-kubelet-mirror_pod_outdated = it shows the static pod of an earlier manifest on { $node }: it is made anew
why-kubelet-delete_orphaned_mirror_pods = the manifest of its static pod is no longer on { $node }
why-kubelet-update_lease = { $node } is alive
why-kubelet-sync_node_status = { $ready ->
    [True] it is time for its report: Ready={ $now }
   *[other] it is heard again: its node was Ready={ $ready }, and it reports Ready={ $now }
}
why-attempt_to_delete-absent_owner = its owner { $absent } is gone
why-attempt_to_delete-waiting_owner = its owner { $waiting } is being deleted and waits for it
why-attempt_to_delete-foreground = its owner is being deleted; its own { $dependents ->
    [one] dependent goes first
   *[other] { $dependents } dependents go first
}
why-attempt_to_delete-unblock_owners = its dependents wait for each other
why-attempt_to_delete-remove_references = { $solid } keeps it; owners that are gone are taken out
why-process_deleting_dependents-remove_finalizer = no dependent keeps it any more
why-orphan_dependents = its owner is deleted with --cascade=orphan, so it is kept
why-attempt_to_orphan-remove_finalizer = { $orphaned ->
    [one] its dependent does not name it as its owner any more
   *[other] its { $orphaned } dependents do not name it as their owner any more
}
why-sync_namespace-publish_certificate = the namespace has no root certificate yet
why-sync_namespace-restore_certificate = its { $changed } was changed
why-generate_token_if_needed = it is to hold a token of ServiceAccount { $account }, and lacks { $lacking }
why-delete_token = ServiceAccount { $account }, whose token it is to hold, is not there
why-remove_secret_reference = Secret { $secret }, which it names, is gone
why-sign_config_map = its { $kubeconfig } is to be signed with each bootstrap token that may sign ({ $tokens }): { $written ->
    [one] 1 signature
   *[other] { $written } signatures
} to write, { $removed } to remove
why-eval_secret-expired = the bootstrap token has expired: { $expiration }
why-csr_approver-ask = { $csr } asks for the client certificate of a kubelet: may { $user } create certificatesigningrequests/{ $right }?
why-csr_approver-approve = { $user } may create certificatesigningrequests/{ $right }, so { $csr } is approved
why-csr_signer-sign = { $csr } is approved, and { $signer } gives what it asks for
why-csr_signer-refuse = { $csr } is approved, but its signer does not give that: { $message }
why-csr_cleaner-pending = nobody has decided on { $csr } for a day
why-csr_cleaner-issued = { $csr } was approved an hour ago and has its certificate
why-csr_cleaner-denied = { $csr } was denied an hour ago
why-csr_cleaner-failed = the signer of { $csr } failed an hour ago
why-csr_cleaner-expired = the certificate of { $csr } is over
why-naming-sync = its names were compared with those of its group's other definitions: { $reason }
why-establishing-sync = its names are accepted, so its objects can be written
why-non_structural_schema-sync = its schemas were looked at: { $condition }
why-api_approval-sync = its group is one of Kubernetes' own: { $condition }
why-finalizer-begin = it is being deleted, and its objects go first
why-finalizer-delete_instances = definition { $definition } is being deleted: { $objects ->
    [one] one object goes with it
   *[other] { $objects } objects go with it
}
why-finalizer-end = none of its objects is left
why-finalizer-failed = some of its objects are left: { $error }
why-sync_resource_quota = it limits { $quota } and says what is used of it
why-sync_namespace-create_service_account = the namespace has no ServiceAccount { $missing } yet
why-try_update_node_health-unknown = its lease was not renewed for { $silent_seconds } s, the limit is { $grace_seconds } s
why-process_taint_base_eviction-swap = it reports Ready={ $ready }, so its taint changes
why-no_schedule_tainting_pass = it reports { $conditions }, its spec.unschedulable is { $unschedulable }, and its taints have to say so
why-reconcile_node_labels = its former labels have to say what the present ones say: { $labels }
why-no_execute_tainting_pass = it reports Ready={ $ready }: taint { $taint } makes its pods leave
why-mark_node_as_reachable = it reports Ready={ $ready } again: taint { $taint } goes
why-mark_pods_not_ready = { $node } has not reported, so its pods do not count as ready
why-taint_eviction-condition = it does not tolerate taint { $taints } of its node, and says so before it goes
why-taint_eviction-delete = it does not tolerate taint { $taints } of its node
why-gc_orphaned = its node { $node } is no longer there
why-gc_terminating = its node { $node } is out of service, so no kubelet ends it there
why-gc_unscheduled_terminating = it is being deleted and never had a node
why-gc_terminated = { $surplus ->
    [one] one more pod has
   *[other] { $surplus } more pods have
} ended than the { $kept } that are kept, and it is among the oldest
why-finalize_namespace = nothing is left in it
why-update_namespace_conditions = { $remaining ->
    [one] one object is
   *[other] { $remaining } objects are
} still in it
why-delete_all_content = namespace { $namespace } is being deleted, and with it { $objects ->
    [one] one object
   *[other] { $objects } objects
} of kind { $kind }

why-leaderelection-create = no instance holds lease { $lease } yet
why-leaderelection-acquire = { $holder } has not renewed it for { $silent_seconds } s, and it holds for { $lease_seconds } s
why-leaderelection-renew = it leads

## Facts that are words
fact-container = { $sort ->
    [ephemeral] ephemeral container
    [init] init container
   *[plain] container
} { $container } { $what }
pleg-noticed = { $text } (PLEG: { $event })
pleg-noticed-late = { $text } (PLEG: { $event }, noticed by a relist { $s } s later)
fact-pod-bound = it was bound to this node
fact-pod-rejected = the node does not take it
fact-pod-deadline-exceeded = its deadline has passed
fact-pod-deletion-requested = its deletion was requested
fact-pod-withdrawn = its manifest is no longer on the node, or is that of another pod
fact-pod-evicted = the kubelet ends it, as the node runs short of something or is shut down, or the pod uses more than it may
fact-pod-over = all its containers have ended, and none is restarted
fact-pod-stopped = all its containers have stopped
fact-pod-all-restarted = all its containers are restarted
fact-container-started = has started
fact-container-not-started = could not be started
fact-container-restart-back-off = has ended, and the kubelet waits before it restarts it (CrashLoopBackOff)
fact-container-pull-back-off = has no image, and the kubelet waits before it pulls it again (ImagePullBackOff)
fact-container-ended = has ended
fact-container-ready = is ready
fact-container-not-ready = is not ready
fact-startup-probe-passed = has passed its startup probe
fact-startup-probe-failed = has failed its startup probe
fact-liveness-probe-failed = has failed its liveness probe

## The component map
view = What the middle shows
view-about = Objects or components (V)
view-objects = Objects
view-machinery = Components
key-view = Objects or components
key-into = Into the last step
key-out = Back out of it
map = The components
map-keys = { $n ->
    [one] { $n } key
   *[other] { $n } keys
}
map-leads = leads
map-standby = waits for the lease
map-members = Members, term { $term }
map-member-leader = leader
map-member-follower = follower
map-member-leaderless = without a leader
map-member-lost = lost
state-standby = waits to become the leader
map-log = The last writes
map-server = API server
map-request-last = the last request
map-request-none = No request yet.
map-stages = What each stage did with it
map-stages-ask = Look at its stages
map-stages-far = Too far to look: what led to it is a very long step.
map-components = Components
map-single = Processes of one component
map-find = Find a component
map-at-rest = { $n } at rest …
map-fold = fold { $n } at rest
map-kubelets = Kubelets
map-kubelets-n = { $n } of them, { $busy } with something to do
map-pick-kubelet = Kubelet of a node
map-follow = Follow
map-follow-about = Show whoever acts
map-on = on
map-off = off
map-switch-off = Switch it off (--controllers): its worker and the informers that no other component needs stop, and its queue is lost.
map-switch-on = Switch it on: it starts with nothing in memory and lists everything anew.
map-reflector = Reflector
map-fifo = Delta FIFO
map-indexer = Indexer
map-handlers = Handlers
map-queue = Work queue
map-worker = Worker
map-behind = { $n } behind
map-queued = { $n ->
    [one] { $n } key waits
   *[other] { $n } keys wait
}
map-delayed-n = { $n } for later
map-failing-n = { $n } failing
map-caught-up = caught up
map-new = has to list
map-cut = { $n ->
    [0] watch cut
   *[other] watch cut, { $n } missed
}
map-gone = 410 Gone: has to list again
map-deltas = { $n ->
    [0] empty
    [one] { $n } delta
   *[other] { $n } deltas
}
map-known = { $n ->
    [one] { $n } object
   *[other] { $n } objects
}
map-stale = { $n } stale
map-untold = { $n ->
    [0] nothing to tell
   *[other] { $n } to tell
}
map-unknown = unknown
map-not-there = gone
map-lane = { $kind }: { $state }
map-lane-quiet = Nothing is on its way, and the cache is as the store.
map-lanes-more = { $n ->
    [one] and { $n } more watch with nothing on its way: { $kinds }
   *[other] and { $n } more watches with nothing on their way: { $kinds }
}
map-coming = Events on their way
map-stale-list = Believed, and as it is
map-pods = Scheduling queue
map-pods-refused = refused by { $plugins }
map-pods-gated = kept out by { $plugin }
map-queue-empty = Empty.
map-waiting = waits
map-processing = worked on
map-again = and comes again
map-delayed = later
map-failing = fails
map-background = if time passes anyway
map-failures = { $n ->
    [one] failed once
   *[other] failed { $n } times in a row
}
map-worker-idle = Waits for a key.
map-worker-off = Takes no key.
map-worker-key = syncs
map-worker-first = Waits to send its first request.
map-worker-at = Waits to send request { $n }; answers so far: { $codes }
map-worker-stale = It read resourceVersion { $believed }; stored is { $stored }.
map-events = { $n ->
    [one] { $n } event to write
   *[other] { $n } events to write
}
map-memory = Its memory between two syncs
map-memory-about = What its next sync knows beside the objects in its caches, for example what it waits for and how often something has failed.
state-down = stopped
state-off = switched off
state-failing = a key fails
state-working = has a request to send
state-queued = has keys to work on
state-behind = has not heard of everything
state-waiting = waits for a moment
state-idle = at rest
rooms = The kubelet's rooms
room-sources = Config sources
room-pods = { $n ->
    [one] { $n } pod
   *[other] { $n } pods
}
room-http = staticPodURL is not set
room-workers = Pod workers
room-workers-none = No pod on this node.
room-wait-nothing = waits for a change
room-wait-mount = waits for its volumes
room-wait-sandbox = waits for its sandbox
room-wait-pull = waits for the image of
room-wait-start = waits for the start of
room-wait-post-start = waits for the postStart hook of
room-wait-kill = waits for the end of
room-wait-retry = tries again
room-wait-attach = waits until its volumes are attached
room-wait-relist = waits until PLEG lists the containers again
room-steps = { $n ->
    [one] then { $n } more step
   *[other] then { $n } more steps
}
room-pleg = PLEG
room-pleg-none = The runtime has reported no container yet.
room-pleg-lists = lists the containers every { $s } s
room-pleg-next = the next one that finds something
room-unnoticed = not noticed yet
room-exit = exit code { $code }
room-ago = { $s } s ago
room-unseen = not synced since
room-probes = Probe workers
room-probes-none = No container that runs has a probe.
room-probe-how = { $handler }, every { $s } s
room-probe-passed = passed
room-probe-failed = failed
room-probe-open = no result yet
room-probe-passes = { $n } of { $of } successes
room-probe-fails = { $n } of { $of } failures
room-probe-hold = waits for a new container
room-statuses = Status manager
room-statuses-none = Nothing to write.
room-unwritten = not written yet
room-reported = { $n ->
    [0] The API server has no status that is as it is here.
    [one] The API server has { $n } status as it is here.
   *[other] The API server has { $n } statuses as they are here.
}
room-volumes = Volume manager
room-volumes-none = No pod has a volume.
room-volume-wanted = wanted, not there yet
room-worlds = In the desired state of the world: { $desired }; in the actual one: { $actual }
room-manager = Container manager
room-cpus-none = CPU manager policy none: all containers share all processors.
room-topology = topology manager: { $policy }, by { $scope }; { $numa ->
    [one] { $numa } NUMA node
   *[other] { $numa } NUMA nodes
}
room-cpus-pools = shared pool { $shared }, reserved { $reserved }
room-cpus-own = CPUs { $cpus }
room-cpus-numa = NUMA node { $nodes }
room-shutdown = The node is being shut down: { $told } of { $of } groups of pods told to end
room-shutdown-waits = { $n ->
    [one] waits for { $n } pod, { $s } s at most
   *[other] waits for { $n } pods, { $s } s at most
}
room-volume-unattached = to be attached
room-volume-attached = attached, to be staged
room-volume-staged = staged, to be mounted
room-volume-mounted = mounted
room-volume-written = written
room-volume-version = version { $n }
room-eviction = Eviction manager
room-signal = { $has } of { $all }; the threshold is { $least }
room-signal-soft = for { $s } s
room-signal-met = met now
room-signal-since = met for { $s } s
room-signals-none = The node does not say yet how much it has.
room-looks = It looks again in { $s } s.
room-looks-not = It looks again when what is used changes.
room-garbage = Image and container garbage collection
room-images = { $n ->
    [one] { $n } image, { $size }
   *[other] { $n } images, { $size }
}
room-disk = on a disk of { $size }
room-images-unused = { $n ->
    [0] every image is used
    [one] { $n } that no container uses, { $size }
   *[other] { $n } that no container uses, { $size }
}
room-dead = { $n ->
    [0] no container that has ended
    [one] { $n } container that has ended
   *[other] { $n } containers that have ended
}
room-node = Node status and lease
room-lease = renewed { $s } s ago
room-lease-none = not there yet
room-next = next in { $s } s
room-status-none = nothing planned
room-runtime = CRI: containerd
room-runtime-none = No sandbox.
room-pause-about = The container that holds the namespaces of the pod
room-pulling = pulls
calls-title = Calls to the container runtime (CRI) in this step
calls-none = None.
calls-ask = Look at its calls to the runtime
calls-far = Too far to look: this is a very long step.
calls-prev = Previous call
calls-next = Next call
calls-at = call { $n } of { $all }
calls-now = answered at once
calls-takes = answered after { $s } s
calls-open = nobody knows when it is answered
calls-later = called in { $s } s
calls-returns = the answer to an earlier call
calls-request = Request
calls-answer = Answer
calls-answer-empty = empty
calls-below = What is done for it
call-Version = The kubelet asks which runtime this is.
call-RunPodSandbox = Creates the sandbox of the pod: its namespaces and its cgroup, held by the pause container, with its network.
call-PodSandboxStatus = The kubelet asks for the addresses of the sandbox.
call-StopPodSandbox = Stops what still runs in the sandbox, and gives the network back.
call-RemovePodSandbox = Removes the sandbox, of which nothing runs any more.
call-CreateContainer = Creates the container in the sandbox. Nothing runs in it yet.
call-StartContainer = Starts the program of the container.
call-StopContainer = Sends the stop signal, and SIGKILL when the timeout is over.
call-RemoveContainer = Removes what is left of a container that has ended.
call-ExecSync = Runs a command in the container and waits for its exit code: a probe or a hook.
call-UpdateContainerResources = Changes the cgroup of the container while it runs.
call-ImageStatus = The kubelet asks whether the runtime has the image, how large it is, and as whom it runs.
call-PullImage = Has the runtime pull the image.
call-RemoveImage = Removes an image that no container uses.
part-memory = answers from what it knows
part-handler = takes the runtime that its configuration has for the handler
part-pause-image = makes sure that the pause image is there
part-host-network = leaves the pod on the network of the node
part-netns = makes a network namespace
part-cni-add = gives the pod an interface and an address
part-cni-result = the addresses of the pod
part-cni-del = takes interface and address back
part-netns-removed = removes the network namespace
part-snapshot = makes a writable layer above those of the image
part-shim-start = is started for the sandbox: it stays when containerd is restarted
part-shim-unknown = is that of a handler of which nothing more is known here
part-create-pause = makes namespaces and cgroup, with the pause container in them
part-sentry = the kernel in user space that answers the system calls of the pod, and the process that opens files for it
part-start-pause = starts the pause container
part-kill-pause = ends the pause container
part-delete = removes namespaces and cgroup of what has ended
part-removed = forgets it and removes its layer
part-spec = writes the OCI specification: process, mounts, namespaces, limits
part-sandbox-files = adds the files of the sandbox
part-shim-create = has the OCI runtime create the container
part-create = makes the container in the namespaces of the sandbox
part-start = runs its program
part-exited = has seen the process end, and reports it
part-term = sends the stop signal
part-kill = sends SIGKILL at once
part-grace = waits so long before SIGKILL
part-shim-exec = has a command executed
part-exec = runs the command in the container's namespaces
part-shim-update = has the limits changed
part-update = writes them to the cgroup
part-image-store = looks into its own store of images
part-resolve = is asked which manifest the name stands for
part-layers = sends the layers that are not there yet
part-unpacked = has unpacked them
part-image-removed = removes the name; what nothing refers to is collected
stage-authenticate = authenticate
stage-authorize = authorize
stage-decode = decode
stage-patch = patch
stage-default = default
stage-mutate = mutate
stage-compare = compare
stage-prepare = prepare
stage-validate = validate
stage-admit = admit
stage-store = store
stage-passed = passed
stage-same = It changed nothing.
stage-changed = { $n ->
    [one] changed { $n } field
   *[other] changed { $n } fields
}
stage-refused = { $code ->
    [0] nobody listens
   *[other] refused with { $code }
}
stage-not-reached = not reached
stage-absent = The last request did not come to this stage.
stage-authenticate-about = is { $user }. A person is whoever the request’s headers name; the components of the cluster are believed.
stage-authorize-about = What a person may do, roles and bindings say (RBAC). The components of the cluster are not asked.
stage-decode-about = { $n } bytes of { $media } about a { $kind }.
stage-decode-none = There is no body.
stage-patch-about = works the change into the stored object.
stage-default-about = fills in what was not said.
stage-mutate-about = is an admission plug-in that may change the object.
stage-compare-about = The request was made from resourceVersion { $brings }; stored is { $had }.
stage-compare-none = The request names no resourceVersion, so it goes for any.
stage-prepare-about = sets the fields that only the server writes.
stage-validate-about = holds the object against the rules of its kind.
stage-admit-about = is an admission plug-in that may refuse the object.
stage-store-about = writes to etcd and tells the watchers.
stage-store-put = { $object } at revision { $n }
stage-store-removed = { $object } removed at revision { $n }
stage-store-nothing = Nothing was written.
stage-told = { $n ->
    [one] { $who }: one watch is told
   *[other] { $who }: { $n } watches are told
}
into = Step into
into-about = Go through the { $n } finest actions that this step of { $who } is made of (I)
into-inside = Inside a step of { $who }
out = Back out
out-about = Back to the step that was stepped into (Esc)
into-title = Made of { $n } finest actions
into-how = Choose one to go there, on a branch of its own.
into-nothing = This step is not made of finer ones.
into-too-many = It is made of more than { $n } finest actions.
request-as = Shown as
request-plain = YAML
request-verbose = kubectl -v=9
request-copy = Copy
request-copied = Copied.

## Every order
explore = Every order
explore-keys = What can happen in every order in which the components can act, from where the run stands (O)
key-explore = What can happen in every order of commands
explore-about = Whoever goes first: all states that can be reached from where the run stands.
explore-drawing = The graph of states is drawn when all have been looked at, or when a bound is met.
explore-events = Commands that only write events or leases are no steps here: states that differ in nothing else count as one.
explore-empty = Nothing has been explored yet. Start looks at every order of what can happen, from where the run stands, in as many threads as the machine has cores.
explore-symmetry = Pods and nodes that are alike
explore-merged = Count as one
explore-distinct = Told apart
explore-states = At most states
explore-steps = At most steps
explore-memory = At most MB
explore-invariants = What shall hold
explore-holds-maxUnavailable = No rollout takes more ready pods than maxUnavailable allows
explore-holds-maxSurge = No rollout makes more pods than maxSurge allows (those that are being deleted do not count)
explore-holds-oneController = No object has two controllers
explore-holds-noOrphan = In the end nothing is owned by what is not there
explore-holds-boundOnce = No pod changes its node
explore-holds-noRequestLost = No request of the run’s clients is lost or cut off, whenever it is sent; those in each other’s way are followed as the run sends them
explore-own = Your own, in CEL over objects
explore-own-hint = True where it holds. objects is a list of what kubectl get -o json prints, without events and leases; pods that are being deleted are still in it.
explore-own-wrong = It cannot be read: { $why }
explore-own-wrong-at = Line { $line }, column { $column }: { $why }
explore-own-steady = In steady states only
explore-start = Start
explore-loading = The explorer is being loaded…
explore-replaying = The run is repeated: { $done } of { $of } steps
explore-progress = { $states } states, { $waiting } still to look at, { $steps } steps deep; { $rate } states/s, { $mb } MB
explore-failed = The explorer has failed: { $why }. Start begins with a new one.
explore-refused = The explorer refused: { $why }
explore-no-way = There is no way there that can be repeated.
explore-other-run = This was found for another run than the one at hand. Start explores that one.
explore-opened = It is on the timeline: { $n } steps as they are counted here. Share makes a link of it.
explore-diverged = The way could only be gone for { $n } steps.
explore-open = Open in the timeline
explore-one-end = All orders end in the same steady state.
explore-one-end-if = All orders that end, end in the same steady state.
explore-ends = It depends on the order: it can end in { $n } different steady states.
explore-no-end = No order ends: there is no steady state.
explore-ends-yet = { $n } { $n ->
    [one] steady state
   *[other] different steady states
} can be reached; there may be others.
explore-no-end-yet = No steady state was reached so far.
explore-looked = { $states } states and { $edges } steps between them, in { $seconds } s ({ $rate } states/s).
explore-took = They took { $memory }, { $kb } KB each.
explore-cut-stop = It was stopped.
explore-cut-states = The bound on states cut it short.
explore-cut-steps = The bound on steps cut it short.
explore-cut-waiting = Too many states were waiting.
explore-cut-memory = The bound on memory cut it short.
explore-cut-circle = A component works in a circle without ever writing, so not everything could be looked at.
explore-cut-waiting-for = { $n } states still waited to be looked at.
explore-cut-left = It came up to { $steps } steps from the start. What was found is there, and each way can be gone; that nothing else is there cannot be said.
explore-shortest = The shortest order takes { $n } steps.
explore-longest = The longest takes { $n } steps.
explore-outcome = Outcome { $nth }, after { $n } steps at least
explore-circle = There is an order that never ends: after { $before ->
    [one] { $before } step
   *[other] { $before } steps
}, { $length } more lead back to the same state.
explore-no-circle = Every order ends.
explore-no-circle-yet = No order was found that never ends.
explore-holds = { $what }: holds in every order
explore-holds-yet = { $what }: holds as far as was looked
explore-why-maxSurge = That is so in Kubernetes, too: the Deployment controller counts what ReplicaSets are to have and what they report, not pods. If it acts twice before the ReplicaSet controller has deleted the old pods, the new ones come on top for a while
explore-why-maxUnavailable = That is so in Kubernetes, too: the Deployment controller adds up what ReplicaSets report. If it scales one down again before that one reports the first reduction, more pods go than it meant
explore-breaks = { $what }: does not hold, after { $n } steps
explore-undecided = { $what }: cannot be said of a state after { $n } steps
explore-graph-keys = States: arrow keys walk, Enter opens one in the timeline
explore-detail = The state that is chosen
explore-hidden = { $n } states are drawn, { $hidden } are not.
explore-key-end = steady
explore-key-broken = breaks what shall hold
explore-key-circle = in a circle
explore-key-lit = the run on the timeline
explore-state = State { $id }, { $n } steps from the start
explore-state-end = steady, outcome { $nth }
explore-state-broken = breaks what shall hold
explore-state-circle = in a circle
explore-state-open = not looked at further
explore-state-now = the run stands here
explore-state-lit = on the run's way
explore-came = Reached by { $what }
explore-time = time passes
explore-more = { $n } more, not drawn: draw them

## Embedding, sharing, exporting, presenting
open-whole = Open in Steady
player-next = Next: { $what }
player-ended = This is as far as this page shows it.
player-at = Step { $n }
present-leave = Leave (Esc)
share-title = Share
share-link = Link to this run
share-lesson = This step of the lesson, from its beginning
share-scenario = This scenario, from its beginning
share-link-about = It contains the start and what was done, not the cluster: { $n } characters. Nothing is sent anywhere.
share-copy = Copy
share-copied = Copied
share-not-copied = The browser does not allow copying here: select the text.
share-embed = Embed in a page
share-embed-size = Size
share-embed-parts = Shows
share-embed-theme = Theme
share-embed-theme-system = as the reader's system
share-embed-theme-light = light
share-embed-theme-dark = dark
share-embed-code = The frame's code
share-embed-frame = Steady: { $what }
share-part-story = Text
share-part-next = Next commands
share-part-timeline = Timeline
share-part-manifest = Manifest
share-part-object = Object
share-note = What you say at this step
share-note-about = Shown from this step on where the run is embedded or presented. It is in the link.
share-download = Download
share-svg = Graph, SVG
share-png = Graph, PNG
share-mermaid = Graph, Mermaid
share-animated = Run, animated SVG
share-markdown = Run, Markdown
share-yaml = All objects, YAML
share-declared = What was declared, YAML
share-dot = Every order, DOT
share-download-failed = The file could not be made: { $why }
share-present = Present
share-print = Print
export-open = Open this run in Steady
export-step = { $n }. { $who } ({ $s } s)
export-created = Created { $object }
export-changed = Changed { $object }
export-deleted = Deleted { $object }
export-fields = { $n ->
    [one] { $n } more field
   *[other] { $n } more fields
}
export-more = { $n ->
    [one] { $n } more step.
   *[other] { $n } more steps.
}
import-offer = This is what kubectl prints of a cluster, and not a manifest.
import-do = Start a run with it
import-refused = This cannot be the start of a run: { $why }
import-no-cluster = no object in it has a uid, so it is not what kubectl prints of a cluster.
import-large = it is larger than { $n } bytes.
import-said = { $n ->
    [one] { $n } object of your cluster is
   *[other] { $n } objects of your cluster are
} here, with the status they had. A link to this run is about { $kb } KB long.
import-taken = Taken over: { $what }
import-unknown = Left out, of kinds that are not known here: { $what }
import-unreadable = Left out, { $what }: { $why }
import-made = Made, because others need it: { $what }
import-orphaned = References to owners that are not in the text were dropped: { $n }. The garbage collector would delete what belongs to nobody.
import-tainted = Nodes with a control-plane taint, as a complete DaemonSet has no pod there: { $what }
import-autoscaled = What pods use is not in the text: autoscalers know it only if a metrics server is installed (Break something).
link-no-scenario = there is no scenario { $id }.

# The rule book, and the glossary

rules = The rule book
rules-open = Rules
rules-title = The rule book: each rule of each component (B)
rules-about = Each component follows rules of this form: where the condition holds, the command is enabled, and the component issues it when it is its turn. The command makes its own condition false. When no rule of anybody is enabled, the cluster is steady.
rules-find = Find a rule
rules-show = Which rules
rules-all = All { $n }
rules-enabled = Enabled now { $n }
rules-used = Used in this run { $n }
rules-none = There is no such rule.
rules-unknown = Which rules are enabled is known at the depths of commands and reconciles, once the next commands are found.
rules-more = { $n ->
    [one] One more component has something to do, and was not looked at.
   *[other] { $n } more components have something to do, and were not looked at.
}
rule-open = Rule
rule-about = Rule { $rule } in the rule book
rule-enabled = enabled now
rule-then = enables
rule-used = { $n ->
    [0] Not used in this run
    [one] Used once in this run
   *[other] Used { $n } times in this run
}
rule-last = Go to the last time
rule-place = In the code:
term-page = Kubernetes documentation: { $term }

# The course

course = Course
course-open = Course…
course-title = Lessons: one idea each, five minutes
course-about = Each lesson is one idea in five minutes, over a cluster that you can step, break and share. Begin anywhere; what leads to what is said below each.
course-done = Done
course-reached = { $n } of { $of } steps
course-next = Next
course-after = after { $which }
course-chapter = Chapter { $n }
course-chapter-1 = 1. The mechanics
course-chapter-2 = 2. Declarative
course-chapter-3 = 3. The Deployment
course-chapter-4 = 4. Inside a controller
course-chapter-5 = 5. Workloads that are not alike
course-chapter-6 = 6. Extending
course-chapter-7 = 7. The node and the network
course-own = Open a lesson's file…
course-export = Save progress
course-import = Load progress…
course-reset = Forget progress
course-forgotten = Forgotten.
course-refused = That file has no progress in it.

lesson-called = Lesson: { $title }
lesson-leave = Leave the lesson
lesson-steps = Steps of the lesson
lesson-step = Step { $n } of { $of }
lesson-end = The end of the lesson
lesson-back = Back
lesson-next = Next
lesson-finish = What you saw
lesson-first = First answer the question, or reach the goal.
lesson-onward = Next: { $place } { $title }
lesson-point = Select a { $kind } in the graph.
lesson-this-one = I expect { $kind } { $name }
lesson-order = Press them in the order in which they come.
lesson-predict = That is what I expect
lesson-number = From { $from } to { $to }:
lesson-number-wrong = It has to be a whole number from { $from } to { $to }.
lesson-then = , then{" "}
lesson-as-said = As you said: { $what }
lesson-said = You said
lesson-really = What happened
lesson-goal = Your goal
lesson-follow = Follow the packet from { $pod } to { $url }
lesson-prints = What the terminal prints at this moment
lesson-holds = : holds
lesson-open = : does not hold yet
lesson-unknown = : cannot be said at this moment
lesson-met = You have reached it.
lesson-hint = Give me a hint
lesson-solve = Show me a solution
lesson-again = Begin the step again
lesson-astray = The run went back behind this step.
lesson-saw = What you saw
lesson-read-on = Read on
lesson-none = There is no lesson { $id } in this version.
lesson-unread = The lesson could not be loaded. Is there a network?
lesson-no-answer = The run gives no answer here: { $why }
lesson-more-like = { $n ->
    [one] {" "}(and one more by this rule)
   *[other] {" "}(and { $n } more by this rule)
}
lesson-fold = Fold the lesson
lesson-file = Lesson
lesson-file-about = { $file }: the lesson follows what you write. Share gives a link with the lesson in it.
lesson-file-reads = The file is a lesson.
lesson-file-play = Play it to its end
lesson-file-play-about = Makes each prediction rightly and meets each goal by its solution, and says what does not hold
lesson-file-sound = Played to its end: it holds what it promises.
lesson-file-setup = Before the first step:
lesson-file-step = Step { $n }:
lesson-idle = The lesson did something that changed nothing: { $deed }: { $why }
lesson-not-solved = This solution does not meet the goal here.
lesson-file-save = Save as a file
course-write = Write a lesson
course-write-about = Opens a copy of a lesson, to be changed beside its result

# Does a rollout drop requests?
rehearse = Requests
rehearse-keys = Does a rollout drop requests? (Q)
key-rehearse = Does a rollout drop requests?
menu-rehearse = Does a rollout drop requests?
rehearse-title = Does a rollout drop requests?
rehearse-about = Pods of a copy of the run are replaced while clients ask their Service. The run itself stays as it is.
rehearse-workload = Workload
rehearse-occasion = What replaces its pods
rehearse-rollout = A rollout: the editor’s text, or a restart
rehearse-restart = kubectl rollout restart, whatever the editor’s text says
rehearse-undo = kubectl rollout undo
rehearse-scale = kubectl scale to half of the replicas
rehearse-drain = kubectl drain of a node with its pods
rehearse-port = Service and port
rehearse-keep-alive = The clients keep their connections (keep-alive)
rehearse-alone = { $name } (no Service leads to it)
rehearse-in-editor = { $name } (in the editor)
rehearse-rate = Requests a second from each client
rehearse-own-clients = { $clients ->
    [one] A client of the run itself sends { $rate } requests a second. It is the client here.
   *[other] { $clients } clients of the run itself send { $rate } requests a second together. They are the clients here.
}
rehearse-start = Try it
rehearse-does = If the editor’s text changes the workload, applying it is the rollout; otherwise it is kubectl rollout restart. An undo, a smaller number of replicas and a drain take the workload as it is in the cluster. The node with most of its pods is drained; PodDisruptionBudgets are honoured. A client stands on each node that is ready, on five of them at most; if pods of the run, or somebody outside of the cluster, send requests to the Service already, these are the clients.
rehearse-empty = Nothing has been tried yet. Each request counts: who answered it or, if nobody did, why. If some are lost, changes that could mend it are tried, each from the same beginning.
rehearse-working = Requests are being sent to a copy of the run…
rehearse-loading = The worker is being loaded…
rehearse-progress = Rollout { $nth } of { $of } at least, { $steps } steps
rehearse-other-run = This was found for another run than the one at hand.
rehearse-no-workload = There is nothing to roll out: no Deployment, StatefulSet or DaemonSet is in the cluster or in the editor.
rehearse-no-service = No Service leads to its pods, so no requests would come. Add one whose selector fits the labels of the pods.
rehearse-not-reached = Port { $port } of the Service { $service } does not lead to its pods.
rehearse-no-former = It has no former revision to go back to.
rehearse-too-few = It has less than two replicas, so there is no half of them to leave.
rehearse-no-pods = No node has pods of it.
rehearse-of-daemon-set = A DaemonSet has a pod on each of its nodes: it cannot be scaled, and kubectl drain leaves its pods where they are.
rehearse-undrained = The node could not be drained, and the cluster came to rest. kubectl says: { $why }
rehearse-untried = What could not be tried
rehearse-no-http = What listens at { $url } accepts connections and speaks no HTTP. Only HTTP requests can be tried here, so this cannot be said of it.
rehearse-no-node = No node is ready, so no client can run.
rehearse-restless = The cluster does not come to rest before the rollout, so what the rollout loses cannot be told from what is lost anyway.
rehearse-refused = It was refused: { $why }
rehearse-failed = The worker has failed: { $why }
rehearse-before = Requests are lost before any rollout has begun.
rehearse-before-span = No client is without losses, so nothing can be said of a rollout. Counted are { $seconds } s in which nothing is changed:
rehearse-aside = { $clients ->
    [one] One client loses requests before any rollout has begun, and is
   *[other] { $clients } clients lose requests before any rollout has begun, and are
} not counted. This is what becomes of { $seconds } s in which nothing is changed:
rehearse-loser = { $client } asks { $url }: { $lost } of { $sent } requests are lost.
rehearse-counted = { $clients ->
    [0] No client is counted
    [one] One client is counted
   *[other] { $clients } clients are counted
} here: one that loses requests before this rollout has begun is left out.
rehearse-none-gone = No pod was replaced, so this says nothing about requests.
rehearse-apply-takes = Applied, the editor’s text also takes back what it says otherwise than the cluster, such as a change that was opened in the timeline. To try the workload as it is in the cluster, choose kubectl rollout restart.
rehearse-nothing-sent = No requests were sent, so nothing is known.
rehearse-none-lost = None of { $sent } requests was lost.
rehearse-some-lost = { $lost } of { $sent } requests { $lost ->
    [one] was
   *[other] were
} lost.
rehearse-how = { $clients ->
    [one] One client
   *[other] { $clients } clients
} asked { $url } for { $seconds } s, while { $how }
rehearse-by-restart = kubectl rollout restart was under way.
rehearse-by-apply = the editor’s text was applied.
rehearse-by-undo = kubectl rollout undo led back to revision { $revision }.
rehearse-by-scale = kubectl scale led from { $from } replicas to { $to }.
rehearse-by-drain = kubectl drain { $node } was under way.
rehearse-cut = The rollout did not come to rest, and was given up after an hour of the cluster’s time.
rehearse-chart = { $lost } of { $sent } requests lost, over the time of the rollout
rehearse-begin = the rollout begins
rehearse-begin-scale = kubectl scale
rehearse-begin-drain = the drain begins
rehearse-chart-all = the bars show the clients that are not counted, too
rehearse-after = { $seconds } s
rehearse-at = { $seconds } s
rehearse-first = The first that was lost
rehearse-request = Request { $nth } of { $client } on { $node } to { $to } ({ $endpoint }):
rehearse-request-nowhere = Request { $nth } of { $client } on { $node }:
rehearse-request-outside = Request { $nth } from { $client } to { $to } ({ $endpoint }):
rehearse-request-outside-nowhere = Request { $nth } from { $client }:
rehearse-stale = The rules of { $node } were behind: the EndpointSlice did not call this endpoint ready any more.
rehearse-stale-proxy = The list of endpoints in { $through } was behind: the EndpointSlice did not call this endpoint ready any more.
rehearse-open = Open that moment in the timeline
rehearse-one-order = The rehearsal took one order of the commands. Every order checks all of them, from the moment at which it was begun and nobody has acted on it yet.
rehearse-every-order = Check every order from there
rehearse-open-run = Open the rollout in the timeline
rehearse-open-named = Open in the timeline: { $name }
rehearse-mends = What mends it
rehearse-mends-how = Each change is brought in first, which is a rollout too and loses requests as the first does; counted is the rollout after that. If a text in the editor is the rollout, it is applied with the change in it; if that replaces no pod, kubectl rollout restart follows.
rehearse-brought = { $lost ->
    [0] Opened, the run stands where the change is in place; the rollout follows.
    [one] Opened, the run stands where the change is in place, and the rollout follows. One request was lost before, while the change was brought in; the line under the timeline counts it.
   *[other] Opened, the run stands where the change is in place, and the rollout follows. { $lost } requests were lost before, while the change was brought in; the line under the timeline counts them.
}
rehearse-mends-not = What was tried and does not mend it
rehearse-mends-idle = What was tried and says nothing
rehearse-mended = none of { $sent } requests is lost
rehearse-still-lost = { $lost } of { $sent } requests are lost; as it was, { $plain }
rehearse-as-many-lost = as many requests are lost: { $lost } of { $sent }
rehearse-more-lost = more requests are lost: { $lost } of { $sent }; as it was, { $plain }
rehearse-opened = It is on the timeline, after { $n } steps of the rehearsal: a branch of your run. Share makes a link of it.
rehearse-diverged = The rollout could not be repeated as it was.
mend-readiness = A readiness probe
mend-readiness-about = A pod gets requests as soon as its containers run, unless a probe says when its port is open.
mend-sleep = A preStop hook that sleeps
mend-sleep-about = The container goes on to serve while EndpointSlices and the rules of all nodes hear of its end; only then SIGTERM comes.
mend-longer-sleep = A preStop hook that sleeps for { $seconds } s
mend-longer-sleep-about = The hook that is there ends before all have heard of the container’s end; it sleeps for longer.
mend-longer-grace = A grace period of { $seconds } s
mend-longer-grace-about = When terminationGracePeriodSeconds are over the container is killed, whatever its preStop hook and its answers still need.
mend-min-ready = minReadySeconds: 5
mend-min-ready-about = A new pod has to be ready for a while before an old one goes for it, so that the rules of all nodes lead to it by then.
mend-available = maxUnavailable: 0
mend-available-about = No pod ends before another one is ready in its place.
mend-drain = A program that finishes its answers
mend-drain-about = On SIGTERM it accepts nothing new, gives the answers that it has begun, and ends. That is up to the program; here the annotation sim.steady/on-sigterm: drain says so.
lost-no-such-name = There is no such name.
lost-no-dns = The DNS did not answer.
lost-no-endpoints = Connection refused: the Service had no endpoints for this port.
lost-not-listening = Connection refused: nobody listened on that port.
lost-stopping = Connection refused: the pod had got SIGTERM and closed its port.
lost-not-running = Connection refused: the container did not run.
lost-not-noticed = Connection refused: the container had ended, and the kubelet had not reported that yet.
lost-refused = Connection refused.
lost-dropped = No answer: a rule drops the packet, because the Service has no endpoints on that node.
lost-no-such-port = No answer: the Service has no such port.
lost-gone = No answer: nobody has the address that it was sent to.
lost-cut-off = No answer: the node is cut off.
lost-policy-egress = No answer: a NetworkPolicy does not let the client send it.
lost-policy-ingress = No answer: a NetworkPolicy does not let the pod accept it.
lost-astray = No answer: it came straight from a pod on another node, from an address that was not asked.
lost-no-route = No answer: the network plugin has no route to that node.
lost-timed-out = No answer.
lost-broken = The connection was closed: the process ended before its answer.
lost-reset = The connection was reset: the process ended before it had read the request.
lost-no-http = The connection was closed without an answer: what listens there speaks no HTTP, or no TLS for https.
lost-too-slow = The answer took longer than the client waits.
lost-status = The server answered with { $status }.
took-ms = { $n } ms
took-s = { $n } s
took-part = { $name } { $time }
took-join = {", "}
took-max = max
took-all = every answer took { $time }
took-answered = answered within: { $parts }
took-about = How long the answers took: a half of them came within p50, 95 % within p95, 99 % within p99, all within max. Lost requests are not among them, as they had no answer: one that is refused would count as fast, and one that times out would show the client’s own timeout (hey leaves them out, too). How many were lost stands beside it. In the chart the line is p50, the dotted line p99.
lost-queue-full = The server answered with 503 at once: its queue was full.
lost-many = { $n } × { $cause }
lost-join = {" "}
lost-behind-rules = { $n ->
    [one] One of these was led there by rules of its node that had not heard of the change yet.
   *[other] { $n } of these were led there by rules of a node that had not heard of the change yet.
}
lost-behind-proxy = { $n ->
    [one] One of these was led there by a proxy that had not heard of the change yet.
   *[other] { $n } of these were led there by a proxy that had not heard of the change yet.
}
chart-answered = answered
chart-lost = lost
chart-p50 = latency p50
chart-p99 = p99
chart-shown = shown moment
chart-axis = 0 s = { $at } of the cluster’s clock; a bar is { $seconds } s

# Requests of the run's clients
traffic-of = Requests of the run’s clients
traffic = { $sent } { $sent ->
    [one] request
   *[other] requests
} sent, { $lost } lost
traffic-until-here = Until here: { $here } · whole run: { $run }
traffic-lost = { $lost } lost
traffic-chart = Requests over time
traffic-chart-about = Press a bar, or choose one with the arrow keys and press Enter: the run goes to a request of those seconds, the first that was lost if any was. Press it again, or Escape, to let it go.
traffic-span = { $from }–{ $to } s
traffic-seconds = { $span } (from { $at })
traffic-nobody = { $seconds }: no request began in this time
traffic-let-go = Let go
traffic-let-go-about = No bar is chosen any more: what is said is that of the whole run again. A second press of the bar and Escape do the same.
traffic-first = The first that was lost
traffic-why = Why requests were lost
traffic-why-run = Whole run: { $why }
traffic-why-seconds = { $seconds }: { $why }
traffic-waiting = { $n } under way
traffic-connections = { $n } { $n ->
    [one] connection
   *[other] connections
} to { $endpoint }

# One request, told
sent-of = What happened to the request
sent-request = Request { $nth } of { $pod } for { $url }, sent { $at } after the chart begins, at { $clock } of the cluster’s clock
requests-outside = outside ({ $kind } { $name })
sent-moment = The run stands at step { $step }, the last one before it was sent, at the same moment.
sent-moment-before = The run stands at step { $step }, the last one before it was sent, { $before } earlier.
sent-moment-passes = The run stands at step { $step }, { $before } before it was sent: the step after that lets { $passes } pass, and it was sent meanwhile.
sent-gone = The address is { $address }, which no pod of this run has had before.
sent-gone-pod = The address is { $address }, which was that of the pod { $pod }.
sent-gone-service = The Service that was asked is { $service }.
sent-answered = It was answered after { $took }.
sent-nowhere = Its name leads nowhere.
sent-waits-for-connection = All connections of the client are in use, so it waits for one.
sent-opens = It opens a connection to { $to }, which the rules of its node chose.
sent-opens-stale = It opens a connection to { $to }: the rules of its node were behind, the EndpointSlices did not call this endpoint ready any more.
sent-opens-stale-proxy = It opens a connection to { $to }, whose list of endpoints was behind: the EndpointSlices did not call this one ready any more.
sent-through = {" "}through { $by }
sent-passed-on = The server has ended, so the ingress controller asks { $to } in its place.
sent-opens-nowhere = It opens a connection that comes to no endpoint.
sent-reuses = It takes a connection to { $to } that was opened before ({ $used } { $used ->
    [one] request was
   *[other] requests were
} answered over it). The rules are not asked again.
sent-waits = The server answers other requests first, so it waits in its queue.
sent-status = It is answered with { $status }.
sent-again = It fails, and the client sends it again. { $why }
sent-again-closed = The server has closed the connection under it, so the client sends it again over another one, as Go’s net/http does.
sent-lost = It is lost. { $why }
journey-about-sent = This is the way of its packet if it opens a connection at this moment.
