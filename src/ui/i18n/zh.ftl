# 页面文字。每一条在 en.ftl 中都有对应，占位符相同。Kubernetes 自己的词不翻译。

## 顶栏
scenarios = 场景
scenarios-now = 场景：{ $title }
gallery-find = 查找场景
gallery-found = { $n ->
    [0] 没有场景的标题、说明或主题包含这些词。
   *[other] 找到 { $n } 个场景。
}
theme-first-steps = 入门
theme-rollouts = 上线
theme-workloads = 工作负载及其 Pod
theme-containers = Pod 中的容器
theme-scheduling = 调度
theme-autoscaling = 自动扩缩
theme-network = 网络
theme-storage = 存储与配置
theme-nodes = 节点
theme-control-plane = 控制平面与控制器
theme-api = API：资源类别、名字空间与配额
theme-others = 其他
own-work = 自己的
runs-open = 你的运行…
runs-open-about = 你做过的内容按每次运行保存在此浏览器中。
begins = 集群如何开始
begins-about = 选择后，运行会重新开始。此前所做的保留在你的运行中。
begins-nodes = 节点
begins-etcd = etcd 成员
begins-family = 地址
begins-ipv4 = IPv4
begins-dual = IPv4/IPv6 双协议栈
page-title = Steady：Kubernetes，一次一条命令
runs = 你的运行
runs-about = 只保存在这台设备的此浏览器中。有名称的运行会一直保留，直到你删除；其余的保留最近 50 次。
runs-none = 还没有保存任何内容。从你的第一步开始，运行就会被保存。
runs-refused = 此浏览器不允许页面保存任何内容。
runs-unreadable = 有 { $n } 次保存的运行无法读取：它们已损坏，或者是由此页面的更新版本写入的。它们会保持原样。
runs-newer = 此页面的更新版本以此版本不认识的格式保存了此浏览器中的运行。请重新加载页面以使用更新版本。
run-steps = { $n } 步
run-size = { $kb } KB
run-here = 正在此处显示
run-elsewhere = 已在另一个标签页中打开
run-name = 运行的名称
run-open = 打开
run-open-copy = 打开副本
run-open-name = 打开 { $name }
run-rename = 重命名
run-rename-name = 重命名 { $name }
run-duplicate = 复制
run-duplicate-name = 复制 { $name }
run-delete = 删除
run-delete-name = 删除 { $name }
run-deleted = 已删除：{ $name }
run-undo = 撤销
run-copy = 另一个标签页已打开这次运行，因此这里是它的副本。
run-take-over = 由这里接管
run-taken = 另一个标签页接管了这次运行。从现在起，你在这里所做的会另存为一次运行。
engine-ended = 模拟内部出错了。运行从最后保存的时刻继续。
engine-ended-again = 模拟无法从最后保存的时刻继续，所以显示另一次运行。你的运行在运行列表中。
engine-lost = Steady 的引擎在应答之前已经终止。页面会从最后保存的时刻起换用另一个引擎继续：请重新调用。
engine-missing = 暂时无法加载模拟。页面会再次尝试；你的工作不会丢失。
run-gone = 这次运行已不存在。
save-refused = 此浏览器不允许页面保存你的工作：刷新后还在，关闭标签页就会丢失。请分享为链接来保留它。
save-newer = 此页面的更新版本在此浏览器中保存了运行，此版本无法在其中添加：刷新后你的工作还在，关闭标签页就会丢失。请重新加载以使用更新版本，或分享为链接来保留它。
update-ready = Steady 的新版本已就绪。
update-reload = 重新加载
theme = 浅色或深色
keys = 快捷键
share = 分享
faults = 制造故障
faults-installed = 集群可有可无的部分：指标服务器、DNS、控制器、代理、网络插件。
faults-manifests = 节点目录中静态 Pod 的清单。
faults-plane = 控制平面的故障。Pod 和节点的故障：在图中选中它，就会列出。
fault-restart = 重启 { $what }
fault-restart-about = 它的缓存和队列全部丢失，一切重新 list。
fault-watches = 切断 { $what } 的 watch
fault-watches-about = 它从已看到的 revision 继续。
fault-stop = 停止 { $what }
fault-stop-about = { $what ->
    [kube-apiserver] 它的端口上不再有人监听：所有请求都失败，所有 watch 都结束，它内置的控制器也停止。节点上运行的一切照常运行。
    [kube-controller-manager] 它与集群断开，内存中的内容全部丢失。如果它是领导者，它的租约会到期。
    [kube-scheduler] 它与集群断开，内存中的内容全部丢失。如果它是领导者，它的租约会到期。
   *[other] 它与集群断开，内存中的内容全部丢失。
}
fault-start = 启动 { $what }
fault-start-about = 启动时内存是空的。如果已有领导者，它就等待。
fault-replicate = 再启动一个 { $what }
fault-replicate-about = 其中一个持有租约并工作，其他的等待租约到期。
fault-member-down = 失去 etcd 成员 { $what }
fault-member-down-about = 它的数据停留在当前状态。超过半数的成员可用时才能写入。
fault-member-up = 恢复 etcd 成员 { $what }
fault-member-up-about = 一旦有了领导者，它就会追上。
fault-compact = 压缩 etcd
fault-compact-about = 历史 revision 会被清除。之前被切断的 watch 无法从原处继续。
fault-metrics-install = 安装 Metrics Server
fault-metrics-install-about = 它每 15 秒向各个 kubelet 询问容器的用量，并提供 metrics.k8s.io：kubectl top 和自动扩缩都要读取它。
fault-metrics-remove = 移除 Metrics Server
fault-metrics-remove-about = 不再提供 metrics.k8s.io。
fault-coredns-install = 用 Pod 运行集群的 DNS：像 kubeadm 那样添加 CoreDNS
fault-coredns-install-about = kube-system 里的对象：Deployment coredns、保存 Corefile 的 ConfigMap、Service kube-dns。此后只由它的 Pod 解析名字。
fault-coredns-remove = 删除 CoreDNS 的对象
fault-coredns-remove-about = 集群恢复使用不属于任何对象、始终应答的 DNS。
fault-manifest-remove = 移走清单 { $what }
fault-manifest-remove-about = 该节点的 kubelet 终止这个文件的静态 Pod，并删除它的镜像 Pod。如果该 Pod 是控制平面的一部分，那部分也随之停止。
fault-manifest-put = 放回清单 { $what }
fault-manifest-put-about = 无论 API 服务器是否应答，该节点的 kubelet 都会再次运行这个文件的静态 Pod。
fault-ingress-install = 安装 Ingress 控制器：ingress-nginx
fault-ingress-install-about = 名字空间 ingress-nginx 里的对象：Deployment 及其 NodePort 类型的 Service、IngressClass nginx、ServiceAccount 及其权限。此后该类的 Ingress 会通向 Pod。
fault-ingress-remove = 删除 ingress-nginx 的对象
fault-ingress-remove-about = 不再有谁处理 Ingress。
fault-gateway-install = 安装 Gateway API 及其控制器：NGINX Gateway Fabric
fault-gateway-install-about = Gateway、HTTPRoute 等类别的定义，以及名字空间 nginx-gateway 里的对象：Deployment 及其 Service、GatewayClass nginx 及其对 nginx 的设置、ServiceAccount 及其权限。此后该类的每个 Gateway 都有自己的 nginx。
fault-gateway-remove = 删除 NGINX Gateway Fabric 的对象
fault-gateway-remove-about = 不再有谁处理 Gateway 和路由。它们的定义会保留，每个 nginx 仍按最后一次得到的配置工作。
fault-kube-proxy-install = 为每个节点安装可以查看的 kube-proxy：{ $what } 模式
fault-kube-proxy-install-about = 它用 { $what } 写入节点的规则，每次写入都是单独的一步：在那之前，连接仍按旧规则转发。在终端里用 docker exec NODE 可以查看这些规则。
fault-network-plugin = 改用另一个网络插件连接 Pod：{ $what }
fault-network-plugin-about = Pod 的地址不变。kindnet 会执行 NetworkPolicy；flannel 不会，它的 vxlan 和 udp 后端把发往其他节点的数据包封装进 UDP。只有 bridge 时，无法到达其他节点上的 Pod。选 none 时，节点未就绪，不使用主机网络的 Pod 都不会启动。
fault-kube-proxy-remove = 移除 kube-proxy
fault-kube-proxy-remove-about = 每个节点重新立即拥有 Service 的规则，不再需要单独的步骤。
controls = 单步与运行
transport = 运行
restart = 回到开头
restart-keys = 回到开头（Home）
back = 后退一步
back-keys = 后退一步（←）
step = 单步
redo = 重做
you = 你
redo-verb = 重做
redo-what = 再来一次：{ $what }
redo-about = 这里不会再自行发生任何事。在这次运行中，接下来是你做的：
run = 运行
pause = 暂停
to-steady = 到稳态
to-steady-keys = 运行到没有任何组件有下一条命令为止（⇧→）
stop = 停止
speed = 速度
depth = 一步有多大
depth-command = 命令
depth-command-about = 一步是一次 API 写入（C）
depth-reconcile = 调谐
depth-reconcile-about = 一步是一个键的一次完整 sync（R）
depth-machinery = 机制
depth-machinery-about = 一步是一个 watch 事件、一个 delta、一次处理函数调用、一个键或一个请求（M）

policy = 谁先走：{ $now }
policy-fair = 轮流
policy-fair-about = 各组件轮流发出一条命令，发出之前先得知已发生的一切。同一时刻到期的事情先完成。
policy-random = 随机，种子 { $seed }
policy-random-about = 所有能行动的组件机会均等。种子相同，运行就相同。
policy-newest = 消息最新的先走
policy-newest-about = 得到最新消息的组件先走；更早开始的等得最久。
policy-starved = { $who } 最后走
policy-starved-about = 只有其他组件都无事可做时它才走。
policy-acted = 在这次运行中行动过的组件
policy-find = 查找组件

## 面板
panes = 面板
pane-graph = 图
pane-manifest = 编辑
pane-object = 详情
pane-timeline = 时间线
left = 清单和 kubectl
manifest = 清单
kubectl = kubectl
graph = 对象
graph-keys = 对象：方向键移动，Enter 查看
inspector = 检视
what-next = 接下来
timeline = 时间线

## 清单
story = 看什么
try-same = 没有变化：集群已经是这样了。
try-late = { $who } 此刻没有这样的事情要做，因此没有变化。按 Home 回到场景开头，在那里可以这样做。
no-such-fault = 没有这个名称的对象，或者它已经是这样。
crash-nothing = 容器没有在运行，所以不会崩溃。
apply = 应用
format = 格式化
format-refused = 未格式化：无法读取第 { $line } 行。{ $why }
format-not = 未格式化：那样改变的将不只是文本的格式。
leave-editor = 离开编辑器
leave-line = 离开这一行
apply-hint = 改点什么，这里会显示“应用”将做什么。
apply-nothing = “应用”不会改变任何东西。
apply-done = 集群中已经是这里写的内容，“应用”不会改变任何东西。各组件还没有对它做出反应。
apply-done-steady = 集群中已经是这里写的内容，“应用”不会改变任何东西。
apply-next = 接下来
apply-would = “应用”将做什么
apply-refused = 被拒绝：
apply-unreadable = 没有应用任何内容：清单的第 { $line } 行不是 YAML。
apply-past = 你看到的是过去：这次运行在此之后还有内容。现在应用会开始另一个分支：
apply-back = 编辑器中的文本比集群旧。现在应用会改回：
apply-take-over = 更新文本
apply-take-over-about = 这些字段改用集群中的值。你自己的修改会保留。
apply-own = 此外还会更改：
apply-create = 创建
terminal-log = 终端的输出
terminal-waits = 它还没有结束：每走一步，它会再查看一次。按 Ctrl+C 结束。
terminal-holds = 它的下一条命令会改变集群。
terminal-go-on = 让它继续（Enter）
terminal-edits = 对象已在编辑器中打开：在清单页签里按“保存”写入。
terminal-hint = 这里可以用 kubectl，也可以用管道：get pods -w、describe deployment web、kubectl get pods | grep web。Tab 补全，↑ 找回上一行，输入 help 查看更多。
terminal-help =
    kubectl、k，或只写动词：get pods -o wide、describe deployment web、explain pods.spec。
    管道可接 grep、head、tail、wc、sort、uniq、cut、sed、tr、xargs；多条命令用 ; && || 连接；支持 here-document：kubectl apply -f - <<EOF。manifest.yaml 就是编辑器里的内容。
    get -w、watch kubectl get pods、logs -f、rollout status 和 wait 会随着单步继续；后退一步会收回它们的输出。
    kubectl exec -it POD -- sh 在容器中打开一个 Shell：它能看到容器里的文件，输入 exit 或按 Ctrl+D 离开。
    { terminal-exec }
    docker exec NODE 查看节点内部：iptables-save、nft list ruleset、ipvsadm -Ln、ipset list、crictl ps -a、crictl pods、crictl images。
    curl（还有 wget、nc、ping、traceroute、nslookup）从本机发出请求。本机在集群之外：http://节点地址:节点端口 可以访问，Service 的名称和地址则不行。docker exec NODE curl … 从节点发出请求。
    kubectl edit 在编辑器中打开对象，按“保存”写入。kubectl config set-context --current --namespace=… 对之后的所有命令有效。
    Tab 补全，再按一次列出候选；↑ 和 ↓ 在开头相同的历史行之间移动；Ctrl+R 搜索历史；Ctrl+C 结束或清空当前行；Ctrl+L 或 clear 清屏；history 列出历史。先按 Escape 再按 Tab 可离开输入行。
terminal-exec = 改变集群的命令行是运行中的一步：后退一步会撤回它，链接会重复它。对 kubectl exec 来说，写入文件的命令是一步；其请求会被记住的命令也是一步：记在服务器的日志里、CoreDNS 的日志或缓存里，或由设置了 sessionAffinity 的 Service 记住。只查看的命令不算一步。
terminal-new-run = 从这里开始是另一次运行，上面是前一次运行的输出。
terminal-inside = 这是 Pod { $pod } 中容器 { $container } 的 Shell。输入 exit 或按 Ctrl+D 离开。
terminal-inside-line = Pod { $pod } 中容器 { $container } 的 Shell
terminal-copy = 复制“{ $line }”的输出
terminal-words = 这一行可以如何继续
terminal-search = 在历史中找到：
terminal-keys = 按键
terminal-tab = 补全
terminal-up = 上一行
terminal-down = 下一行
terminal-stop = 结束或清空
texts-missing = 无法加载 kubectl explain 的说明文字。没有它们时只列出字段。
editing = “{ $line }”：按“保存”写入你在这里的修改。之后会恢复清单。
editing-save = 保存
editing-cancel = 取消

## 图
problem-place = 第 { $line } 行，第 { $column } 列
problem-line = 第 { $line } 行
image-no-name = Docker Hub 上没有名为“{ $name }”的官方镜像
image-no-tag = 镜像 { $name } 没有标签“{ $tag }”
image-meant = { $said }。是不是想写 { $meant }？
image-newest = { $said }。现有的标签如 { $meant }。
image-own = { $said }。自己的镜像要在名称前写上组织或镜像仓库：acme/{ $name }。
image-use = 改为 { $meant }
problem-more = 还有 { $n } 处
zoom = 缩放
zoom-in = 放大
zoom-out = 缩小
zoom-fit = 显示全部
graph-alone = 只看图
graph-alone-says = 图占满了页面。按 Escape 恢复其余部分。
filter-open = 过滤和搜索
filter = 过滤图
filter-text = 名称、类别或 标签=值
filter-keys = Enter 到下一个匹配，Shift+Enter 到上一个，Escape 关闭。
filter-count = 显示 { $shown } 个，共 { $all } 个
filter-clear = 显示所有对象
filter-close = 关闭过滤
filter-kinds = 类别
filter-namespaces = 名字空间
filter-health = 状态
filter-cluster = 无名字空间
filter-well = 正常
filter-waiting = 尚未就绪
filter-bad = 有问题
menu-of = { $object }：可以做什么
menu-describe = 描述
menu-logs = 日志
menu-edit = 编辑它的 YAML
menu-why = 为什么是这样
menu-follow = 从这里跟踪一个请求
menu-owns = 显示它拥有的对象（{ $n }）
menu-owned = { $object } 拥有 { $n } 个对象，已标出。
menu-do = 操作
menu-crash = 让容器 { $container } 崩溃
callout-age = 已存在 { $age }
callout-namespace = 在 { $namespace } 中
callout-deleting = 正在删除
lines = 连线
line-owner = 拥有
line-selector = 选择
line-binding = 运行于
line-reference = 引用
records = { $n } 个记录
records-about = 控制器为其他对象保存的记录：Endpoints、EndpointSlice、ControllerRevision
clock = t = { $s } 秒
clock-menu = 让时间推进
clock-menu-now = 让时间推进：{ $time }
clock-step = 到下一件发生的事
clock-about = 与“单步”相同。只有没有别的事可做时，时间才会推进。
clock-to = 到 { $at }
card-revision = { $kind } · 修订版本 { $n }
card-paused = 已暂停
card-suspended = 已挂起
card-next = 下次 { $at }
card-no-condition = 没有状况
pod-no-node = 尚未调度
pod-restarts = 重启 { $n } 次
node-pods = { $n } 个 Pod
node-cut-off = 已断开
fold = { $n } 个 Pod，{ $ready } 个就绪
fold-kind = { $n } 个 { $kind }
fold-bad = { $n } 个 { $kind }，{ $bad } 个有问题
label-workload = 就绪 { $ready }/{ $want }
label-job = 成功 { $ready }/{ $want }
label-pod = { $word }，容器就绪 { $ready }/{ $of }，{ $node }{ $restarts ->
    [0] { "" }
   *[other] ，重启 { $restarts } 次
}
label-node = { $word }，{ $n } 个 Pod
label-changed = 上一步改变了它

## 接下来的命令
next-pick = 接下来的命令：选择谁先走
next-actions = 接下来可能发生的动作：选择一个
next-waiting = 时间推进之前，所有组件都无事可做
next-none = 接下来的命令
next-asked = 课程先提问：回答之后，这里会列出接下来可能发生的事。
next-look = 现在就看
next-running = 正在运行。停止后会列出接下来的命令。
next-more = 再显示 { $n } 条
go-first = 先走
why-about = 点按某一行，看它为何如此。
why-of = 为何 { $line }
why-start = 集群一开始就是这样。
why-waited = 过了一段时间
why-more = 此前还有 { $n } 次写入未显示。
summary = 由此发生了什么
summary-writes = 你的操作引出了 { $n } 次写入。
summary-more = 谁引出了谁
summary-too-long = 此后发生的事太多，无法列出谁引出了谁。
summary-left-out = 还有 { $n } 行未显示。
summary-times = ，共 { $n } 次
because = 因为
because-first = 第一次是因为
because-of-one = 其中 { $name } 是因为
refused = { $code ->
    [0] 将得不到应答
   *[other] 将被拒绝：{ $code }
}
in-time = { $s } 秒后
step-verb = 动作
steady = 稳态
steady-nothing = 没有声明任何东西，也没有事情要做。
steady-stored = 没有声明 Pod。应用的对象已存储，没有事情要做。
steady-custom = 存储了 { $n } 个自定义资源的对象。这里没有控制器处理这些类别，没有事情要做。
steady-met = 正在运行的与声明相符：{ $n } 个 Pod。
steady-ended = 声明的任务已运行完：成功 { $n } 次。
steady-failed = { $n } 个 Job 已失败。它们到此结束，不会再有后续。
stuck = 停滞
steady-stuck = 已稳定，但停滞
stuck-etcd = etcd 的 { $of } 个成员中有 { $run } 个在运行，不足多数：谁都无法写入。
stuck-for-good = 不会再自行发生任何事
stuck-until = 在时间推进到时间表的下一次运行或下一次重启之前，不会发生任何事
stuck-ready = { $lead }，而 { $of } 个 Pod 中有 { $n } 个未就绪。
stuck-updated = { $lead }，而使用最新模板的 Pod 应有 { $of } 个，现有 { $have } 个。
stuck-succeeded = { $lead }，而应成功 { $of } 次，还缺 { $n } 次。
stuck-other = { $lead }，但与声明不符。
short = 声明 { $want }，已更新 { $updated }，可用 { $available }，共 { $total }
short-paused = 已暂停：声明 { $want }，已更新 { $updated }，可用 { $available }，共 { $total }
short-job = 应成功 { $want } 次：已成功 { $succeeded }，活跃 { $active }，失败 { $failed }
short-suspended = 已挂起：应成功 { $want } 次，已成功 { $succeeded }
short-endless = { $said }。正在运行的容器不会自行结束：它的命令会一直运行下去。
ails-condition = { $type } 为 { $status }
ails-phase = 处于 { $phase } 阶段
ails-no-endpoints = 没有端点：它选中的 Pod 没有一个就绪
ails-not-served = 没有 Ingress 控制器为它服务：发往其主机的请求无处可去
ails-missing = 把请求发给不存在的 { $object }
ails-over-quota = { $resource } 已用 { $used }，上限是 { $hard }
ails-finalizers = 正在删除，在这些 finalizer 被移除之前不会消失：{ $finalizers }
ails-more = 还有 { $n } 个对象有问题。
pill-running = 运行中
pill-looking = 正在查找
pill-asked = 有一个问题待回答
pill-waiting = 等待 { $s } 秒
pill-next = { $n } 条接下来的命令
pill-actions = { $n } 个可能的动作
pill-ready = 就绪 { $have }/{ $want }
pill-updated = 已更新 { $have }/{ $want }
pill-failed = 已稳定；Job { $name } 失败
pill-failed-many = 已稳定；{ $n } 个 Job 失败
pill-succeeded = 成功 { $have }/{ $want }

reading-declared = 与声明相符：
reading-yes = 是
reading-no = 否
reading-about = 一个 Deployment 的声明可以从两个层面来看。就 ReplicaSet 而言：当使用其模板的 ReplicaSet 期望全部副本、其他 ReplicaSet 的期望副本数都为零时，就与声明相符。就 Pod 而言：当使用该模板的可用 Pod 恰好有这么多、且没有其他 Pod 时，才与声明相符。
reading-replica-sets = ReplicaSet：{ $met }/{ $of } 个 Deployment 相符。
reading-pods = Pod：{ $met }/{ $of } 个 Deployment 相符。
reading-only-replica-sets = 就 ReplicaSet 而言，已与声明相符：它们期望的正是这些 Pod。就 Pod 而言，尚不相符。
reading-only-pods = 就 Pod 而言，已与声明相符。就 ReplicaSet 而言，尚不相符。
reading-neither = 无论就 ReplicaSet 还是就 Pod 而言，都与声明不相符。
reading-early = 已经与声明相符；剩下要做的事不会改变这一点。

## 时间线
timeline-step = 第 { $n } 步
timeline-of = 共 { $n }
timeline-at = 第 { $at } 步，共 { $of } 步
branches = 其他分支
branch = 从第 { $n } 步起：{ $length } 步

## 检视
tab-yaml = YAML
tab-events = 事件
tab-history = 历史
tab-links = 关系
tab-request = 请求
inspect-nothing = 在图中选一个对象。
inspect-last = 上一步
inspect-gone = 此刻不存在
line-removed = 已删除：
owned-by = 属主：{ $kind } { $name }
yaml-more = 全部字段
yaml-less = 较少字段
was = 原为 { $value }
conditions = 状况
events = 事件
none = 没有。
links-owners = 属主
links-dependents = 附属对象
links-selects = 选择
links-selected-by = 被这些对象选择
links-node = 运行于
links-pods = 其上的 Pod
links-names = 引用
links-named-by = 被这些对象引用

## Pod 与网络
tab-network = 网络
journey-url = 从此 Pod 发出请求到
journey-url-outside = 从集群外部发出请求到
journey-follow = 跟踪
journey-stepper = 沿路径逐站查看
journey-stop-back = 上一站
journey-stop-next = 下一站
journey-stop = 第 { $n } 站，共 { $of } 站：{ $at }
journey-stops = 共 { $of } 站
journey-about = 这是此刻发出一个请求会有的结果。跟踪它不会改变运行中的任何东西。
journey-none = 没有可以访问的 Service。请输入 URL，例如 http://web。
journey-none-outside = 这里没有可从集群外部访问的地址。请输入带有节点地址的 URL，例如 http://172.18.0.2:30080；其后可以加上 host=NAME。
journey-not-running = 此 Pod 没有在任何节点上运行，所以不能发送请求。
journey-url-scheme = 只能跟踪 http:// 和 https://。
journey-url-port = 端口必须是 1 到 65535 之间的数字。
journey-url-host = URL 中没有主机。
journey-url-words = 这不是一个地址。请输入不含空格的地址，例如 http://web:80；其后只能写 host=名称。
journey-answered = 应答为 { $status }。
journey-answered-by = { $by } 应答 { $status }。
journey-stale = kube-proxy 尚未跟上：EndpointSlice 已不再把这个端点列为就绪。
journey-wait-stopped = { $node } 的规则在等待该节点的 kube-proxy，但它没有运行：规则保持原样。
journey-wait-news = { $node } 的规则在等待消息：该节点的 kube-proxy 尚未得知 Service 和 EndpointSlice 的所有变更。
journey-wait-work = { $node } 的规则在等待该节点的 kube-proxy：它已得知一个变更，正在计算规则，将在 { $s } 秒后写入。
journey-wait-period = { $node } 的规则还要等待 { $s } 秒：该节点的 kube-proxy 已得知一个变更，但两次同步之间至少相隔一秒（minSyncPeriod）。
journey-behind-proxy = 控制器尚未跟上：EndpointSlice 已不再把它所请求的端点列为就绪。
journey-via = Ingress 控制器 { $pod } 转发它
journey-via-answers = Ingress 控制器 { $pod } 自己应答
journey-via-rule = Ingress { $of }：{ $host }{ $path }（{ $type }）通向 Service { $service }
journey-via-gateway = Gateway 的 nginx { $pod } 转发它
journey-via-gateway-answers = Gateway 的 nginx { $pod } 自己应答
journey-via-route = HTTPRoute { $of }：{ $host }{ $path }（{ $type }）通向 Service { $service }
journey-via-route-alone = HTTPRoute { $of } 有针对 { $host }{ $path }（{ $type }）的规则
journey-via-default = 没有针对该路径的规则：主机 { $host } 通过默认后端通向 Service { $service }
journey-via-none = 没有针对主机 { $host } 和该路径的规则
journey-via-no-service = Service { $service } 不存在
journey-via-no-port = Service { $service } 没有这个端口
journey-via-no-endpoints = Service { $service } 没有就绪的端点
journey-via-not-resolved = 规则对后端的引用无法使用：路由的状况 ResolvedRefs 说明了原因
journey-via-bad-filter = 规则的某个过滤器无法使用：路由的状况说明了原因
journey-via-no-weight = 规则的后端都没有权重
journey-via-no-address = 该主机没有地址
journey-via-nginx = { $pod } 中的 nginx 转发它
journey-via-nginx-answers = { $pod } 中的 nginx 自己应答
journey-via-location-of = 那里挂载的配置：服务器 { $host } 的 location { $path }
journey-via-server-of = 那里挂载的配置：服务器 { $host }
journey-via-failed = 之前请求过但没有成功：{ $endpoints }
journey-via-location = 被重定向到 { $location }
journey-names = 它向 DNS 查询
journey-name-silence = 没有应答
journey-name-empty = 没有这种类型的地址
journey-within = 它没有离开 { $pod } 的网络。
journey-way = 第一个数据包的路径
journey-back = 应答的路径
journey-back-about = 应答不再经过任何规则。转换过第一个数据包的每个节点都会记录该连接（conntrack），并把应答的地址转换回来。
journey-end-pod = 到达 { $node } 上的 { $pod }
journey-end-node = 到达 { $node }
journey-end-refused-pod = 到达 { $node } 上的 { $pod }，但没有进程在端口 { $port } 监听：Pod 的内核以复位（RST）应答（连接被拒绝）
journey-end-refused-node = 到达 { $node }，但没有进程在端口 { $port } 监听：其内核以复位（RST）应答（连接被拒绝）
journey-end-neighbour = 到达一台不属于本集群节点的机器
journey-end-outside = 离开集群
journey-end-lost = 丢失：没有通往那里的路由，或没有谁拥有该地址
journey-end-rejected = 被 kube-proxy 的规则拒绝
journey-end-dropped = 被 kube-proxy 的规则丢弃
journey-end-denied = 被丢弃：{ $policies } 没有规则允许它
journey-end-untracked = 被丢弃：{ $node } 上没有谁请求过应答来自的地址
hop-process = 进程
hop-process-of = { $pod } 中的进程
hop-kernel = 内核
hop-kernel-of = { $pod } 网络中的内核
hop-pod-interface = Pod 的网络接口
hop-veth = Pod 虚拟网线的节点一端
hop-bridge = 节点上各 Pod 的网桥
hop-kube-proxy = kube-proxy 的规则
hop-route = 路由表
hop-policy = NetworkPolicy 丢弃它
hop-masquerade = 源地址变为节点的地址
hop-conntrack = 节点记录的连接：应答的地址被转换回来
hop-tunnel = 隧道接口
hop-user-space = 网络插件的进程
hop-interface = 节点的网络接口
hop-interface-outside = 该机器的网络接口
hop-balancer = 集群前面的负载均衡器选择节点
hop-own-machine = 你自己的机器，在集群外部
hop-packed = 封装在 { $source } → { $destination } 的 UDP 中，多出 { $bytes } 字节：Pod 一次能发送 { $mtu } 字节{ $copies ->
    [0] {""}
   *[other] ，每个节点在内核与进程之间各复制 { $copies } 次
}

## 调度器与一个 Pod
tab-scheduling = 调度
sched-gone = 现在没有这个 Pod。
sched-phase-bound = 此 Pod 在 { $name } 上。
sched-phase-claims = 已为此 Pod 选定 { $name }。先绑定它的申领，再绑定 Pod。
sched-phase-chosen = 已为此 Pod 选定 { $name }，正在发送绑定。
sched-phase-other = 此 Pod 在 spec.schedulerName 中指定了调度器 { $name }。这里没有叫这个名字的调度器，所以它不会被分配到节点。
sched-phase-unheard = 调度器还不知道这个 Pod：watch 事件还在途中。
sched-phase-none = 没有调度器在运行，所以此 Pod 不会被分配到节点。
sched-queue-active =
    { $n ->
        [0] 它是下一个被调度的 Pod。
       *[other] 它前面有 { $n } 个 Pod。
    }
sched-queue-backoff = 它的回退在 { $s } 秒后结束。如果 activeQ 为空，会提前取出它。
sched-queue-backoff-error = 上一次尝试以错误结束，下一次在 { $s } 秒后开始。
sched-queue-unschedulable = 它在等待可能有帮助的事件；若没有，{ $s } 秒后也会再试。
sched-queue-gated = 在移除调度门控之前，{ $plugin } 不让它进入 activeQ：{ $gates }。
sched-queue-claims = 在它的 ResourceClaim 可用之前，DynamicResources 不让它进入 activeQ：{ $why }。
sched-queue-preempts = 在为它驱逐的 Pod 删除完之前，{ $plugin } 不让它进入 activeQ。
sched-attempts = 至今尝试了 { $n } 次。
sched-nominated = 它被提名到 { $name }。
sched-refused-by = 拒绝它的插件，以及可能有帮助的事件
sched-hints = 对其中的每个事件，由插件的 QueueingHint 判断这一次是否有帮助。
sched-tried-named = 它在创建时就带有 spec.nodeName，所以没有询问调度器。
sched-tried-not-in-run = 这次运行不包含它被调度的时刻。
sched-when = 显示哪一次尝试
sched-then = 第 { $n } 步
sched-now = 现在
sched-now-bound = 假如此 Pod 还没有节点，现在的一个调度周期会得出的结果。
sched-now-waits = 它的下一个调度周期会得出的结果。
sched-now-unheard = 调度器得到通知之后，第一个调度周期会得出的结果。
sched-no-table = 调度器现在对这个 Pod 没有判断。
sched-now-gated = 现在的一个调度周期会得出的结果。只要此 Pod 不能进入 activeQ，就不会开始周期。
sched-far = 这个周期在太多步之前，无法在页面旁边重算。
sched-go = 转到那一步
sched-end-one = { $of } 个节点中有 { $fit } 个合适，所以此 Pod 得到 { $name }，不再打分。
sched-end-best = { $of } 个节点中有 { $fit } 个合适。此 Pod 得到总分最高的 { $name }。
sched-end-tie = { $of } 个节点中有 { $fit } 个合适。其中 { $ties } 个总分并列最高，从中随机选择：此 Pod 得到 { $name }。
sched-end-nowhere = 没有合适的节点。
sched-end-failed = 有插件无法作出决定。
sched-pre-filter = { $plugin } 在 PreFilter 中就拒绝了此 Pod，没有查看任何节点：
sched-not-visited = 有 { $n } 个节点没有查看：已经找到足够多合适的节点。
sched-evict = DefaultPreemption 从 { $name } 驱逐 { $n } 个 Pod，并把此 Pod 提名到该节点
sched-evict-budget = 其中 { $n } 次驱逐违反 PodDisruptionBudget。
sched-priority = 优先级 { $n }
sched-caption = 每个插件对每个节点的判断
sched-filter = 过滤
sched-score = 打分
sched-score-how = 分数 × 权重；小字：原始分 → 0 到 100
sched-sum = 总分
sched-filters-pass = { $n } 个过滤插件放行了这些节点
sched-filters-less = 只显示有拒绝的过滤插件
sched-fits = 放行此节点
sched-late = 未询问：之前的过滤插件已拒绝此节点
sched-not-asked = 未询问
sched-not-scored = 未打分
sched-for-nominated = 因为有 Pod 被提名到那里
sched-col-chosen = 选中
sched-col-fits = 合适
sched-col-refused = 被拒绝
sched-col-left-out = 在 PreFilter 中排除
sched-col-unseen = 未查看
sched-col-more = +{ $n }
sched-more = 继续显示隐藏的 { $n } 列（{ $nodes } 个节点）
sched-alike = 相同的节点共用一列
sched-why = 为什么？
sched-why-about = 调度器对 { $name } 的判断
request-body = 请求
response-body = 响应
request-none = 这一步不是由请求引起的。
actions = 可以对它做什么
act-more = 增加一个
act-fewer = 减少一个
act-restart = 滚动重启
act-more-at-most = 上限加一
act-suspend = 挂起
act-unsuspend = 恢复
act-run-now = 立即运行
act-pause = 暂停
act-resume = 继续
act-undo = 回滚
act-cordon = Cordon
act-uncordon = Uncordon
act-drain = Drain
act-delete = 删除
act-node-down = 断开
act-node-up = 恢复
act-restart-kubelet = 重启 kubelet
act-crash = 崩溃
crash-container = 哪个容器
crash-code = 退出码
act-break = 制造故障
act-cut-kubelet = 切断它的 watch
act-stop-proxy = 停止它的 kube-proxy
act-start-proxy = 启动它的 kube-proxy
act-evict = 驱逐
act-evict-about = 通过 Eviction 子资源，它会先询问 PodDisruptionBudget
act-probe-fails = 让 { $what } 的 { $probe } 探针失败
act-probe-fails-about = 从现在起，直到让它恢复通过。
act-probe-passes = 让 { $what } 的 { $probe } 探针恢复通过
act-probe-passes-about = 它的回应和之前一样。
act-image-gone = 从镜像仓库移走 { $what }
act-image-gone-about = 已有它的节点会保留它，其他节点不能再拉取。
act-image-back = 把镜像 { $what } 放回去
act-image-back-about = 又可以拉取了。
act-mount-fails = 让卷 { $what } 挂载失败
act-mount-fails-about = 节点上的 CSI 驱动拒绝挂载它；已挂载的保持挂载。
act-mount-works = 让卷 { $what } 恢复挂载
act-mount-works-about = 驱动像之前一样响应。

## 发生了什么
said = { $who }：{ $what }
said-because = { $who }：{ $what }，因为{ $why }
said-more = { $first }（还有 { $n } 条）
said-nothing = 没有写入任何内容。
said-imported = 你的集群已原样导入。可以做些改动，或直接运行。
said-start = 集群已启动，还没有声明任何东西。
said-executed = 你在 { $pod } 的容器 { $container } 中：{ $command }
said-you = 你：{ $what }
said-node-down = 你断开了 { $what }。
said-node-up = 你恢复了 { $what }。
said-restart = 你重启了 { $what }。
said-watches = 你切断了 { $what } 的 watch。
said-stop = { $what ->
    [kube-apiserver] 你停止了 kube-apiserver 里的控制器。
   *[other] 你停止了 { $what }。
}
said-manifest-put = 你把静态 Pod 的清单 { $file } 放到了 { $node } 上。
said-manifest-remove = 你从 { $node } 上移走了清单 { $file }。
said-kube-proxy-installed = 你给每个节点安装了可以单步执行的 kube-proxy（{ $what }）。
said-network-plugin = 你改用了另一个网络插件连接 Pod：{ $what }。
said-kube-proxy-removed = 你移除了 kube-proxy：每个节点都立即拥有它的规则。
said-metrics-server-installed = 你安装了 Metrics Server。
said-metrics-server-removed = 你移除了 Metrics Server。
said-coredns-installed = 你给集群添加了 CoreDNS：此后由它的 Pod 解析名字。
said-coredns-removed = 你删除了 CoreDNS 的对象：集群的 DNS 又不是对象了。
said-ingress-installed = 你安装了 Ingress 控制器 ingress-nginx：它为 nginx 类的 Ingress 服务。
said-ingress-removed = 你删除了 ingress-nginx 的对象：不再有谁处理 Ingress。
said-gateway-installed = 你安装了 Gateway API 和 NGINX Gateway Fabric：它为 nginx 类的 Gateway 服务。
said-gateway-removed = 你删除了 NGINX Gateway Fabric 的对象：不再有谁处理 Gateway 和路由。
said-start-process = { $what ->
    [kube-apiserver] 你启动了 kube-apiserver 里的控制器。
   *[other] 你启动了 { $what }。
}
said-replicate = 你又启动了一个 { $what }：它在等待租约。
said-member-down = 你断开了 etcd 成员 { $what }。
said-member-up = 你恢复了 etcd 成员 { $what }。
said-controllers = 你让 { $process } 以 --controllers={ $controllers } 运行。
said-wait = 你让时间推进了。
said-compact = 你压缩了 etcd：历史 revision 已清除，现有内容还在。
said-crash = 你让 { $what } 的容器 { $container } 以退出码 { $code } 结束。
said-probe-fails = 你让 { $what } 的 { $probe } 探针失败。
said-probe-passes = 你让 { $what } 的 { $probe } 探针恢复通过。
said-image-gone = 你从镜像仓库移走了 { $what }。
said-image-back = 你把 { $what } 放回了镜像仓库。
said-mount-fails = 从现在起卷 { $what } 无法挂载。
said-mount-works = 卷 { $what } 又可以挂载了。
action-list = { $who } list 所有 { $kind }
action-watch = 关于 { $kind } 的 watch 事件到达 { $who }
action-pop = 一个 { $kind } 从 Delta FIFO 进入缓存
action-notify = 它的处理函数得知一个 { $kind }
action-start = 它的 worker 取出下一个键
action-send = 它的请求被发出并得到应答
action-record = 它的下一个事件被写入
action-informers = { $who } 的 informer 随它所知的类别启动或停止
action-advance = 时间推进
out-listed = list 了 { $kind }：{ $n } 个对象
out-expired = { $kind }：410 Gone，too old resource version: { $seen } ({ $oldest })；重新 list：{ $n } 个对象
out-reflected = 关于 { $object } 的 watch 事件进入 Delta FIFO
out-indexed = { $object } 进入缓存
out-handled = 处理函数得知 { $object }，并把键放入队列
out-started = worker 取出 { $key }，sync 运行到第一个请求
out-synced = worker 取出 { $key }，这次同步没有向 API 服务器发送任何内容
out-recorded = 写入了一个事件
out-informers = 启动的 informer：{ $started }；停止的：{ $stopped }
out-advanced = 时间推进了 { $s } 秒

## 消息
steady-act-ahead = 这里是稳态。在这次运行中，接下来是你做的；“单步”会再做一次。
step-nothing = 没有事情要做，时间表也没有到期的运行。请做些改动，或者制造故障。
limit-runs = 已停止：途中时间表有 { $n } 次运行到期，而且一直有任务在运行。它可能永远不会自行停下来。再按“到稳态”可以继续；在时钟里可以选择运行到哪个时刻。
moment-nothing = 时间无法推进到那个时刻。
stepping = 正在寻找下一条命令
setting-up = 正在准备：{ $n } 步
still-loading = 正在打开一次运行：请先停止它，或等它完成
stopped-work = 已停止。你的工作在场景菜单的“你的运行”里。
stopped-link = 已停止，没有打开。
link-opened-first = 已打开链接。
evicted = pod/{ $pod } 已驱逐
close = 关闭
whole = 完整消息
running = { $n } 步
restoring = 第 { $done } 步，共 { $of } 步
limit-refused = 已停止：API 服务器连续拒绝了 { $n } 个命令（“{ $why }”）。只要它继续拒绝，集群就不会到达稳态。
limit-steps = 一次运行已满 { $n } 步，因此停止。
save-full = 你的工作（{ $kb } KB）超出浏览器的存储空间，刷新会丢失。请分享为链接来保留它。
link-refused = 这个链接没有打开，你的工作保持原样：{ $why }
link-newer = 它由更新版本的页面生成。请刷新页面，或在生成它的页面上打开。
link-large = 它超过 { $n } 字节。
link-damaged = 它已损坏（{ $what }）。请对方再发一次。
link-limit = 它要求超过 { $n } { $what }。
link-opened = 已打开链接。你自己的工作在场景菜单的“你的运行”里。
link-differs = 这次运行的结果与生成链接时不同：页面的版本不同。

## 快捷键
key-run = 运行或暂停
key-choose = 选择接下来的命令
key-policy = 谁先走
key-editor = 到清单
key-terminal = 到 kubectl
key-graph = 到图，然后用方向键
key-menu = 能对对象做什么
key-filter = 过滤图
key-alone = 只看图
key-timeline = 到时间线，然后用方向键
key-apply = 应用清单
keys-editor = 在编辑器里 Tab 是缩进；按 Escape 再按 Tab 离开。

## 编辑器（CodeMirror）自己的词；$ 代表一个数字
cm-find = 查找
cm-replace = 替换为
cm-next = 下一个
cm-previous = 上一个
cm-all = 全选
cm-match-case = 区分大小写
cm-by-word = 全字匹配
cm-regexp = 正则表达式
cm-replace-one = 替换
cm-replace-all = 全部替换
cm-close = 关闭
cm-current-match = 当前匹配
cm-on-line = 位于行
cm-replaced-one = 已替换第 $ 行的匹配
cm-replaced = 已替换 $ 处
cm-go-to-line = 转到行
cm-go = 前往
cm-completions = 补全
cm-diagnostics = 错误
cm-no-diagnostics = 没有错误
cm-selection-deleted = 已删除所选内容
cm-control-character = 控制字符
cm-folded = 已折叠的内容
cm-unfold = 展开
cm-fold-line = 折叠此行
cm-unfold-line = 展开此行
cm-folded-lines = 已折叠行
cm-unfolded-lines = 已展开行
cm-to = 至
cm-duplicate-first = 键 $1 在第 $2 行再次出现，kubectl 取那一个
cm-duplicate-last = 键 $1 在第 $2 行已经出现过：kubectl 取这最后一个

## 为什么：库中每条规则一句
why-claim_objects-adopt = 它的标签匹配，而且没有属主
why-claim_objects-release = 它的标签不再匹配
why-manage_replicas-create = 需要 { $want } 个，现有 { $have } 个
why-manage_replicas-delete = 需要 { $want } 个，现有 { $have } 个
why-manage_job-create = 同时可运行 { $want } 个 Pod，现有 { $have } 个，已成功 { $succeeded } 个
why-manage_job-delete = 同时可运行 { $want } 个 Pod，现有 { $have } 个
why-manage_job-suspend = 它的 Job 已挂起
why-delete_active_pods = 它的 Job 即将结束：{ $reason }
why-track_job_status = 统计到活跃 { $active } 个，就绪 { $ready } 个，成功 { $succeeded } 个，失败 { $failed } 个，正在终止 { $terminating } 个
why-enact_job_finished-complete = 已有 { $succeeded } 个成功，并且每个 Pod 都已计数：Job 完成
why-enact_job_finished-failed = Job 失败：{ $message }
why-remove_tracking_finalizer = 它的阶段是 { $phase }，Job 的状态已记下它
why-sync_orphan_pod = 没有正在运行的 Job 还会统计它
why-process_job-expired = 它在 { $ttl } 秒前已结束，不再保留
why-sync_cron_job-create = 按时间表 { $schedule }，{ $at } 有一次运行
why-sync_cron_job-replace = 下一次运行的时间到了，由它取代这一次
why-sync_cron_job-status = 它有 { $active } 个活跃的 Job，上次运行时间为 { $last }
why-remove_oldest_jobs = 已结束的 Job 有 { $have } 个，只保留 { $limit } 个
why-reconcile_autoscaler-above_target = { $metric } 为 { $have }，目标为 { $want }：{ $current } 个副本太少
why-reconcile_autoscaler-below_target = 各指标低于目标已有足够长的时间：{ $current } 个副本太多
why-reconcile_autoscaler-above_max = 它有 { $current } 个副本，而上限是 { $max }
why-reconcile_autoscaler-below_min = 它有 { $current } 个副本，而下限是 { $min }
why-reconcile_autoscaler-limits = { $metric } 为 { $have }，由最近的建议得出 { $desired } 个副本
why-reconcile_autoscaler-status = { $reason ->
    [SucceededRescale] 它已把目标的规模改为 { $desired }
    [ReadyForNewScale] 目标的规模正是指标所要求的：{ $current }
    [ScaleDownStabilized] 副本少一些也够，但稳定窗口（默认五分钟）内曾建议更多
    [ScaleUpStabilized] 需要更多副本，但持续的时间还不够长
    [ScalingDisabled] 目标被缩容到零，所以自动扩缩停止工作
    [FailedGetScale] 它读不到目标的规模
    [FailedGetResourceMetric] 它读不到 Pod 的用量，所以什么也不做
    [counts] 它统计到 { $current } 个副本，期望 { $desired } 个
   *[other] 它统计到 { $current } 个副本，期望 { $desired } 个（{ $reason }）
}
why-new_replica_set-create = 还没有 ReplicaSet 使用 { $deployment } 的模板；新的 ReplicaSet 从 { $replicas } 个副本开始，共需 { $want } 个
why-new_replica_set-created = ReplicaSet { $replica_set } 现在是修订版本 { $revision }
why-new_replica_set-found = 修订版本 { $revision } 的 ReplicaSet 已经使用这个模板
why-new_replica_set-update = 使用 { $deployment } 模板的 ReplicaSet 成为修订版本 { $revision }
why-new_replica_set-collision = 已有别的 ReplicaSet 叫 { $replica_set }，换一个名字再试
why-new_replica_set-failed = 无法创建它的 ReplicaSet：{ $error }
why-sync_rollout_status = 统计到已更新 { $updated }/{ $want } 个，就绪 { $ready } 个，可用 { $available } 个
why-cleanup_deployment = 保留了 { $old } 个旧 ReplicaSet，上限是 { $limit }：删除修订版本 { $revision }
why-rollback = 回滚到修订版本 { $revision }
why-selects_everything = 它的选择算符匹配一切
why-check_paused_conditions = { $paused ->
    [true] 它已暂停
   *[other] 它已恢复
}
why-reconcile_new_replica_set-up = 新 ReplicaSet 可以从 { $from } 增加到 { $to }：总共最多 { $max } 个 Pod
why-reconcile_new_replica_set-down = 新 ReplicaSet 有 { $from } 个，只需要 { $to } 个
why-scale_down_old_replica_sets = 旧 ReplicaSet 可以从 { $from } 减到 { $to }：至少保持 { $min } 个可用
why-scale_down_old_replica_sets_for_recreate = 旧 Pod 全部删除之后才创建新的：从 { $from } 到 { $to }
why-scale_up_new_replica_set_for_recreate = 旧 Pod 都已停止，可以创建 { $to } 个新的
why-scale-only = 需要 { $want } 个，唯一的 ReplicaSet 有 { $from } 个
why-scale-saturated = 新 ReplicaSet 的副本已齐，旧的从 { $from } 到 { $to }
why-scale-proportion = 上线进行中，各 ReplicaSet 按比例分摊：从 { $from } 到 { $to }
why-update_replica_set_status = 统计到 { $replicas } 个 Pod，就绪 { $ready } 个，可用 { $available } 个
why-controller_revision-create = { $owner } 的模板是新的，这是它的修订版本 { $revision }
why-controller_revision-renumber = 它的模板又是最新的：修订版本 { $before } 变为 { $revision }
why-controller_revision-delete = { $old } 个旧修订版本都没有 Pod 在用，只保留 { $limit } 个：删除修订版本 { $revision }
why-controller_revision-label = 修订版本 { $revision } 还没有哈希
why-controller_revision-relabel_pod = 两个修订版本的模板相同，保留 { $revision }
why-controller_revision-duplicate = 修订版本 { $kept } 的模板与它相同
why-controller_revision-collision = 另一个修订版本叫 { $name }：换一个名字再试
why-manage-create = { $node } 应有 { $set } 的 Pod，但还没有最新模板的 Pod
why-manage-ended = { $node } 上的 { $pod } 的阶段是 { $phase }，由新的 Pod 取代
why-manage-surplus = { $node } 上已有比 { $pod } 更早的 Pod
why-manage-not_wanted = { $node } 不再应有 { $pod }：标签或污点变了
why-manage-node_gone = { $pod } 在等待已不存在的 { $node }
why-rolling_update-replace = { $node } 上的 { $pod } 不属于修订版本 { $revision }
why-update_daemon_set_status = 应有 Pod 的 { $desired } 个节点中，{ $current } 个已有：就绪 { $ready } 个，可用 { $available } 个，已更新 { $updated } 个
why-process_replica-create = 需要 { $want } 个，按顺序第一个缺少的是 { $pod }
why-process_replica-create_parallel = 同时需要 { $want } 个，缺少 { $pod }
why-process_replica-ended = { $pod } 的阶段是 { $phase }，StatefulSet 的 Pod 总会重新创建
why-process_condemned = 需要 { $want } 个，多出来的 Pod 中 { $pod } 的序号最大
why-update_stateful_set-replace = 不属于修订版本 { $new } 的 Pod 中，{ $pod } 的序号最大{ $partition ->
    [0] {""}
   *[other] ，从序号 { $partition } 开始替换
}
why-update_stateful_pod = { $pod } 的名称、标签或卷与它的位置不符
why-create_claims = { $set } 有卷申领模板，因此 { $pod } 有自己的申领
why-update_claim_owner = 保留策略：删除 StatefulSet 时为 { $deleted }，缩容掉其 Pod 时为 { $scaled }
why-update_stateful_set_status = 统计到 { $replicas } 个 Pod，就绪 { $ready } 个，可用 { $available } 个，已更新 { $updated } 个
why-schedule_one-bind = { $nodes } 个节点中有 { $feasible } 个合适，{ $node } 得分最高
why-schedule_one-unschedulable = 没有合适的节点：{ $message }
why-schedule_one-preempt = { $victim } 为 { $pod } 让出 { $node } 上的空间
why-preemption-clear_nomination = 优先级更高的 { $preemptor } 占用 { $node } 上原本提名给 { $pod } 的空间
why-endpoints-sync_service = { $service } 的就绪 Pod 有 { $ready } 个
why-endpoints-service_gone = { $service } 已不存在，它的 Endpoints 也随之删除
why-endpointslice-reconcile = { $service } 的 Pod 中有 { $endpoints } 个在此切片里
why-endpointslicemirroring-reconcile = 这些 Endpoints 不是由控制器创建的，因此由切片镜像其内容
why-update_pdb_status = { $budget } 的 Pod 中有 { $healthy } 个健康，至少需要 { $desired } 个：可以干扰 { $allowed } 个
why-update_pdb_status-fail_safe = 无法统计它的 Pod，因此不允许干扰：{ $error }
why-sync_stale_pod_disruption = { $pod } 原本要被干扰，但并未发生
why-sync_unbound_claim-default_class = 它没有指定存储类，默认类是 { $class }
why-bind-volume = 卷 { $volume } 满足申领 { $claim }，因此与它绑定
why-bind-claim = 申领 { $claim } 现在有了卷 { $volume }
why-update_claim_status = 申领的阶段是 { $claim }，现在为 { $phase }
why-update_volume_phase = 卷的阶段是 { $volume }，现在为 { $phase }
why-unbind_volume = 它的申领已绑定到另一个卷
why-delete_volume = 它的阶段是 { $volume }，回收策略是 Delete
why-delete_volume-finalizer = { $volume } 的存储已删除，没有需要保留的内容
why-update_volume_migration = 卷 { $volume } 由 { $provisioner } 制备，而它没有说明现在由谁负责
why-update_claim_migration = 申领 { $claim } 将由 { $provisioner } 制备，而它没有说明现在是否由 CSI 驱动完成
why-provision_claim = 申领 { $claim } 需要由 { $provisioner } 提供卷
why-volume_protection-remove_finalizer = 它已被删除，阶段是 { $phase }：没有申领再使用它
why-volume_protection-add_finalizer = 卷在绑定期间会被保留
why-claim_protection-remove_finalizer = { $claim } 已被删除，没有 Pod 使用它
why-attributes_class_protection-remove_finalizer = { $class } 已被删除，没有申领或卷引用它
why-attributes_class_protection-add_finalizer = 只要有申领或卷引用，VolumeAttributesClass 就会被保留
why-admission_policy_status-check = { $policy } 的表达式在当前版本上尚未检查过
why-claim_protection-add_finalizer = 只要有 Pod 使用，申领就会被保留
why-nodeipam-allocate = 节点 { $node } 还没有 Pod 的地址范围，{ $range } 空闲
why-clusterrole_aggregation-apply = { $role } 所聚合的角色共有 { $rules } 条规则，与它自己的规则不一致
why-ttl-update_node = 集群有 { $nodes } 个节点，kubelet 读到的内容可保留 { $seconds } 秒
why-servicecidr-add_finalizer = 只要 Service 还使用其中的地址，ServiceCIDR 就会被保留
why-servicecidr-ready = 现在可以分配 { $cidr } 的地址
why-servicecidr-terminating = { $cidr } 已被删除，但地址 { $address } 仍在使用，且不属于其他 ServiceCIDR
why-servicecidr-remove_finalizer = { $cidr } 已被删除，没有 Service 需要它
why-default_servicecidr-create = API 服务器启动时为 Service 指定了 { $range }，而相应的 ServiceCIDR 不存在
why-default_servicecidr-upgrade = 它只有 API 服务器启动时指定的范围 { $range } 中的一个
why-default_servicecidr-ready = 它的范围与 API 服务器启动时指定的一致，而它尚未被标记为就绪
why-ipallocator_repair-create = { $service } 的地址是 { $address }，却没有对应的 IPAddress
why-ipallocator_repair-recreate = IPAddress { $address } 没有表明该地址属于 { $service }
why-ipallocator_repair-delete = Service { $service } 没有地址 { $address }
why-provisioner-provision = 存储类 { $class } 的申领 { $claim } 还没有卷
why-provisioner-delete = 它的阶段是 { $volume }，回收策略是 Delete
why-provisioner-remove_finalizer = 它的存储已释放
why-attach_desired_volumes-attach = 节点 { $node } 上的 Pod { $pod } 需要卷 { $volume }，而它尚未挂接到该节点
why-reconcile-detach = { $because ->
        [timeout] 节点 { $node } 失联已满六分钟，仍在使用卷 { $volume }，因此强制解除挂接
        [out-of-service] 节点 { $node } 被声明为停止服务，因此强制解除卷 { $volume } 的挂接
       *[other] 节点 { $node } 上已没有 Pod 需要卷 { $volume }，且 kubelet 已将其卸载
    }
why-update_node_status = 挂接到 { $node } 的卷有变化：之前 { $before } 个，现在 { $count } 个
why-expand-set_claim_resizer = 申领 { $claim } 请求的存储多于其卷现有的容量；由 { $resizer } 扩充
why-ephemeral-create_claim = Pod { $pod } 的卷 { $volume } 是临时卷，还没有申领
why-resourceclaim-create_claim = Pod { $pod } 为其申领 { $claim } 指定了模板 { $template }，该申领尚未创建
why-resourceclaim-record_claims = 已为 Pod { $pod } 创建了 { $count } 个申领
why-resourceclaim-reserve = Pod { $pod } 已有节点，其申领 { $claim } 已有设备，但没有为它预留
why-resourceclaim-release = 申领 { $claim } 为其预留的 Pod 中有 { $gone } 个已结束；{ $left ->
        [0] 已没有 Pod 使用它，其设备空闲
       *[other] 还有 { $left } 个在使用它
    }
why-resourceclaim-deallocate = 申领 { $claim } 正在被删除，且没有 Pod 使用它
why-resourceclaim-remove_finalizer = 申领 { $claim } 已没有设备
why-resourceclaim-delete = 它是为 Pod { $pod } 创建的，而该 Pod 不再运行
why-attacher-add_finalizer = 它会被保留，直到卷 { $volume } 从 { $node } 解除挂接
why-attacher-attach = 卷 { $volume } 现已挂接到 { $node }
why-attacher-refuse = 卷 { $volume } 无法挂接到 { $node }
why-attacher-detach = 它已被删除，卷 { $volume } 不再挂接在 { $node } 上
why-attacher-remove_finalizer = 卷 { $volume } 已从 { $node } 解除挂接
why-resizer-mark = 申领 { $claim } 请求 { $size }：{ $state ->
        [NodeResizePending] 存储已扩充，节点上的文件系统随后扩充
       *[other] 正在扩充存储
    }
why-resizer-expand_volume = 申领 { $claim } 请求 { $size }，卷 { $volume } 的存储现已达到
why-resizer-finish = 申领 { $claim } 的卷现有 { $size }
why-ingress_nginx-first_sync = { $pod } 中的控制器已启动：它的 nginx 得到 { $servers } 个 server 和 { $routes } 个 location，并打开端口
why-ingress_nginx-reload = Ingress 的去向与 { $pod } 的 nginx 不一致：它原有 { $before } 个 location，现在得到 { $routes } 个
why-ingress_nginx-endpoints = { $pod } 的 nginx { $change ->
    [added] 原来指向 { $service } 的 { $before } 个端点，现在应指向 { $count } 个：增加 { $new }
    [removed] 原来指向 { $service } 的 { $before } 个端点，现在应指向 { $count } 个：去掉 { $gone }
    [replaced] 原来指向 { $service } 的 { $before } 个端点，现在应指向 { $count } 个：换成 { $new }，去掉 { $gone }
   *[same] 指向的仍是 { $service } 的这 { $count } 个端点；变化的是其他方面：它们的端口，或 Service 的某项设置
}
why-ingress_nginx-backends = { $services } 个 Service 的端点与 { $pod } 的 nginx 现有的不一致
why-ingress_nginx-update_status = 控制器在地址为 { $addresses } 的节点上就绪，而 { $ingress } 没有这样写；{ $pod } 是领导者
why-gateway_fabric-provision = { $gateway } 应有自己的 nginx，而它的 { $kind } { $name } 还不存在
why-gateway_fabric-put_right = { $kind } { $name } 与 { $gateway } 的 nginx 所需的不一致
why-gateway_fabric-deprovision = 无法为 { $gateway } 服务，而它的 { $kind } { $name } 仍然存在
why-gateway_fabric-first_configuration = { $pod } 的 nginx 已启动并已连接：它得到 { $rules } 条规则，并打开端口 { $ports }
why-gateway_fabric-reload = Gateway 和路由的去向与 { $pod } 的 nginx 不一致：它原有 { $before } 条规则，现在得到 { $rules } 条
why-gateway_fabric-endpoints = { $pod } 的 nginx { $change ->
    [added] 原来指向 { $service } 的 { $before } 个端点，现在应指向 { $count } 个：增加 { $new }
    [removed] 原来指向 { $service } 的 { $before } 个端点，现在应指向 { $count } 个：去掉 { $gone }
    [replaced] 原来指向 { $service } 的 { $before } 个端点，现在应指向 { $count } 个：换成 { $new }，去掉 { $gone }
   *[same] 指向的仍是 { $service } 的这 { $count } 个端点；变化的是其他方面：它们的端口，或 Service 的某项设置
}
why-gateway_fabric-upstreams = { $services } 个 Service 的端点与 { $pod } 的 nginx 现有的不一致
why-gateway_fabric-class_status = { $object } 指明由本控制器负责，而它的状态没有写出控制器的结论：{ $verdict }
why-gateway_fabric-route_status = { $object } 引用了本控制器的 Gateway，而它的状态没有写出控制器的结论：{ $verdict }
why-gateway_fabric-gateway_status = { $object } 的状态没有写出控制器的结论：{ $verdict }；地址：{ $addresses }；已附加的路由：{ $routes }
why-ingress_nginx-clear_status = 控制器已没有 Pod 为 { $ingress } 服务：{ $pod } 收回它的地址
why-kube_proxy-first_sync = { $node } 上的 kube-proxy 已启动，写入了 { $services } 个 Service 端口的规则
why-kube_proxy-sync_proxy_rules = { $node } 上 { $service } 的规则 { $change ->
    [added] 原来指向 { $before } 个端点，现在应指向 { $count } 个：增加 { $new }
    [removed] 原来指向 { $before } 个端点，现在应指向 { $count } 个：去掉 { $gone }
    [replaced] 原来指向 { $before } 个端点，现在应指向 { $count } 个：换成 { $new }，去掉 { $gone }
   *[same] 指向的仍是这 { $count } 个端点；变化的是其他方面：哪些端点就绪或正在终止、它们的端口，或 Service 的某项设置
}
why-kube_proxy-sync_several = { $node } 上 { $services } 个 Service 端口的规则已经过时
why-kube_proxy-sync_node = { $node } 的标签或地址有变化
why-kubelet-allocatable = { $node } 为自身预留的量有变化，因此 Pod 可用的量也随之改变
why-kubelet-pressure = 它的状况 { $condition } 由 { $before } 变为 { $now }：它的 Pod、镜像和系统所使用的量有变化
why-kubelet-volumes_in_use = 它的 Pod 使用的可挂接卷有变化：之前 { $before } 个，现在 { $count } 个
why-kubelet-update_csi_node = { $registered ->
        [yes] CSI 驱动 { $driver } 已安装，其插件已在 { $node } 上注册
       *[other] CSI 驱动 { $driver } 不再安装在 { $node } 上
    }
why-kubelet-write_volumes = { $source } 有变化，而该 Pod 正被同步：{ $node } 重新写入它的卷 { $volume } 中的文件
why-kubelet-write_token = { $volume } 中令牌的有效期已过五分之四：{ $node } 取得新令牌并写入
why-kubelet-write_downward = Pod 本身有变化：{ $node } 把它反映到卷 { $volume } 的文件中
why-kubelet-node_stage_volume = { $volume } 已挂接到该节点，而那里还没有 Pod 使用它：先为节点挂载一次（NodeStageVolume）
why-kubelet-node_publish_volume = { $volume } 已在该节点上暂存：为此 Pod 挂载（NodePublishVolume）
why-kubelet-node_publish_inline_volume = Pod 自己要求 { $volume }：由其驱动为此 Pod 创建并挂载（NodePublishVolume）
why-kubelet-node_unpublish_volume = 它的容器已结束：为此 Pod 卸载 { $volume }（NodeUnpublishVolume）
why-kubelet-node_unstage_volume = 该节点上不再有 Pod 使用 { $volume }：为节点卸载（NodeUnstageVolume）
why-kubelet-node_expansion_in_progress = { $claim } 的卷已变大，因此在 { $node } 上扩充其文件系统
why-kubelet-node_expansion_finished = { $claim } 的文件系统已在 { $node } 上扩充
why-binding_cycle-nominate = 申领绑定后 { $pod } 将去往 { $node }
why-binding_cycle-bind_volume = { $volume } 在 { $node } 上满足 { $claim }
why-binding_cycle-select_node = { $pod } 去往 { $node }，因此 { $claim } 的卷要在那里创建
why-binding_cycle-protect_claim = { $claim } 即将为 { $pod } 获得设备：只要它还占有设备，就不能被删除
why-binding_cycle-allocate = { $pod } 得到了节点，这些是该节点上 { $claim } 所要的设备
why-binding_cycle-reserve = { $pod } 得到的节点可以使用 { $claim } 的设备，它也使用这些设备
why-binding_cycle-unreserve = { $pod } 没有绑定成功，因此 { $claim } 不再为它预留
why-schedule_one-deallocate = { $claim } 的设备使 { $pod } 无法去任何节点，而没有别的 Pod 在使用它们
why-binding_cycle-failed = 它的申领无法绑定：{ $message }
why-kubelet-admit = { $node } 不接受它：{ $reason }
why-kubelet-sync_pod = { $what }
why-kubelet-sync_terminating_pod = { $what }
why-kubelet-can_be_deleted = 它的容器都已停止
why-kubelet-create_mirror_pod = { $node } 把它作为静态 Pod 运行，而 API 服务器中没有显示它的对象
why-kubelet-mirror_pod_deleting = 有人在删除它，但它只是显示 { $node } 所运行的静态 Pod：它会被重新创建
why-kubelet-mirror_pod_outdated = 它显示的是 { $node } 上旧清单的静态 Pod：它会被重新创建
why-kubelet-delete_orphaned_mirror_pods = { $node } 上已经没有它的静态 Pod 的清单
why-kubelet-update_lease = { $node } 定期续约
why-kubelet-sync_node_status = { $ready ->
    [True] 到了报告的时候：Ready={ $now }
   *[other] 它恢复了联系：节点原为 Ready={ $ready }，它报告 Ready={ $now }
}
why-attempt_to_delete-absent_owner = 它的属主 { $absent } 已不存在
why-attempt_to_delete-waiting_owner = 它的属主 { $waiting } 正在删除，要等它先被删除
why-attempt_to_delete-foreground = 它的属主正在删除；它自己的 { $dependents } 个附属对象先被删除
why-attempt_to_delete-unblock_owners = 它的附属对象互相等待
why-attempt_to_delete-remove_references = 它还有属主 { $solid }；已不存在的属主从引用中移除
why-process_deleting_dependents-remove_finalizer = 已没有附属对象阻止它被删除
why-orphan_dependents = 它的属主被删除，而它要保留下来
why-attempt_to_orphan-remove_finalizer = 它的 { $orphaned } 个附属对象已不再引用它
why-sync_namespace-publish_certificate = 这个名字空间还没有根证书
why-sync_namespace-restore_certificate = 它的 { $changed } 被改动了
why-naming-sync = 将它的名称与同组其他定义的名称比较：{ $reason }
why-establishing-sync = 它的名称已被接受，可以写入它的对象了
why-non_structural_schema-sync = 检查了它的 schema：{ $condition }
why-api_approval-sync = 它的组属于 Kubernetes 自己：{ $condition }
why-finalizer-begin = 它正在删除，先删除它的对象
why-finalizer-delete_instances = 定义 { $definition } 正在删除：它的 { $objects } 个对象一并删除
why-finalizer-end = 它的对象已全部删除
why-finalizer-failed = 它的对象还没有全部删除：{ $error }
why-sync_resource_quota = 更新资源配额的上限与已用量：{ $quota }
why-sync_namespace-create_service_account = 这个名字空间还没有 ServiceAccount { $missing }
why-try_update_node_health-unknown = 它的租约已有 { $silent_seconds } 秒没有续约，上限是 { $grace_seconds } 秒
why-process_taint_base_eviction-swap = 它报告 Ready={ $ready }，污点随之改变
why-no_schedule_tainting_pass = 它报告 Ready={ $ready }，spec.unschedulable 为 { $unschedulable }，污点要与此一致
why-reconcile_node_labels = 它的旧标签要与现行标签一致：{ $labels }
why-no_execute_tainting_pass = 它报告 Ready={ $ready }：污点 { $taint } 会使它的 Pod 被驱逐
why-mark_node_as_reachable = 它又报告 Ready={ $ready }：移除污点 { $taint }
why-mark_pods_not_ready = { $node } 没有消息，其上的 Pod 不再算作就绪
why-taint_eviction-condition = 它不容忍所在节点的污点 { $taints }，被删除之前先写明原因
why-taint_eviction-delete = 它不容忍所在节点的污点 { $taints }
why-gc_orphaned = 它的节点 { $node } 已不存在
why-gc_terminating = 它的节点 { $node } 已停止服务，无法在那里终止它
why-gc_unscheduled_terminating = 它正在被删除，而且从未被调度到节点
why-gc_terminated = 已结束的 Pod 比保留的 { $kept } 个多出 { $surplus } 个，而它属于最早的那些
why-finalize_namespace = 其中已没有任何对象
why-update_namespace_conditions = 其中还有 { $remaining } 个对象
why-delete_all_content = 名字空间 { $namespace } 正在删除：{ $objects } 个 { $kind } 一并删除
why-leaderelection-create = 租约 { $lease } 还没有持有者
why-leaderelection-acquire = { $holder } 已有 { $silent_seconds } 秒没有续约，而租约的有效期只有 { $lease_seconds } 秒
why-leaderelection-renew = 它是领导者

## 事实中的词
fact-container = { $sort ->
    [ephemeral] 临时容器
    [init] Init 容器
   *[plain] 容器
} { $container } { $what }
pleg-noticed = { $text }（PLEG：{ $event }）
pleg-noticed-late = { $text }（PLEG：{ $event }，{ $s } 秒后的重新列举才发现）
fact-pod-bound = 它被绑定到这个节点
fact-pod-rejected = 节点不接受它
fact-pod-deadline-exceeded = 它的期限已过
fact-pod-deletion-requested = 已请求删除它
fact-pod-withdrawn = 它的清单已不在节点上，或已换成另一个 Pod 的清单
fact-pod-evicted = kubelet 终止它，因为节点的某种资源不足或节点要关机，或该 Pod 的用量超过了允许
fact-pod-over = 它的容器都已结束，并且不再重启
fact-pod-stopped = 它的容器都已停止
fact-pod-all-restarted = 它的所有容器都被重启
fact-container-started = 已启动
fact-container-not-started = 无法启动
fact-container-restart-back-off = 已结束，kubelet 回退一段时间后再重启它（CrashLoopBackOff）
fact-container-pull-back-off = 没有镜像，kubelet 回退一段时间后再拉取（ImagePullBackOff）
fact-container-ended = 已结束
fact-container-ready = 已就绪
fact-container-not-ready = 未就绪
fact-startup-probe-passed = 通过了启动探针
fact-startup-probe-failed = 没有通过启动探针
fact-liveness-probe-failed = 没有通过存活探针

## 组件图
view = 中间显示什么
view-about = 对象或组件（V）
view-objects = 对象
view-machinery = 组件
key-view = 对象或组件
key-into = 进入上一步
key-out = 退出这一步
map = 组件
map-keys = { $n } 个键
map-leads = 领导者
map-standby = 等待租约
map-members = 成员，任期 { $term }
map-member-leader = 领导者
map-member-follower = 跟随者
map-member-leaderless = 没有领导者
map-member-lost = 已失联
state-standby = 等待成为领导者
map-log = 最近的写入
map-server = API 服务器
map-request-last = 最近一次请求
map-request-none = 还没有请求。
map-stages = 每个阶段对它做了什么
map-stages-ask = 查看各个阶段
map-stages-far = 太远了：引出它的那一步非常长。
map-components = 组件
map-single = 单组件进程
map-find = 查找组件
map-at-rest = { $n } 个空闲…
map-fold = 折叠 { $n } 个空闲
map-kubelets = 各个 kubelet
map-kubelets-n = 共 { $n } 个，{ $busy } 个有事可做
map-pick-kubelet = 某个节点的 kubelet
map-follow = 跟随
map-follow-about = 显示正在行动的组件
map-on = 开
map-off = 关
map-switch-off = 关闭（--controllers）：它的 worker 和没有其他组件需要的 informer 停止，它的队列丢失。
map-switch-on = 打开：它以空的内存启动，一切重新 list。
map-reflector = Reflector
map-fifo = Delta FIFO
map-indexer = Indexer
map-handlers = 处理函数
map-queue = 工作队列
map-worker = Worker
map-behind = 落后 { $n }
map-queued = { $n } 个键在等待
map-delayed-n = { $n } 个稍后处理
map-failing-n = { $n } 个失败
map-caught-up = 已跟上
map-new = 需要 list
map-cut = { $n ->
    [0] watch 已断开
   *[other] watch 已断开，错过 { $n } 个
}
map-gone = 410 Gone：需要重新 list
map-deltas = { $n ->
    [0] 空
   *[other] { $n } 个 delta
}
map-known = { $n } 个对象
map-stale = { $n } 个过时
map-untold = { $n ->
    [0] 没有待通知
   *[other] { $n } 个待通知
}
map-unknown = 未知
map-not-there = 已删除
map-lane = { $kind }：{ $state }
map-lane-quiet = 途中没有任何东西，缓存与存储一致。
map-lanes-more = 另有 { $n } 个 watch 没有在途事件：{ $kinds }
map-coming = 在途事件
map-stale-list = 缓存中的与实际的
map-pods = 调度队列
map-pods-refused = 被 { $plugins } 拒绝
map-pods-gated = 被 { $plugin } 挡在 activeQ 之外
map-queue-empty = 空。
map-waiting = 等待
map-processing = 处理中
map-again = 之后会再次处理
map-delayed = 稍后
map-failing = 失败
map-background = 仅当时间本来就会推进时
map-failures = 连续失败 { $n } 次
map-worker-idle = 等待一个键。
map-worker-off = 不取键。
map-worker-key = 同步
map-worker-first = 等待发送第一个请求。
map-worker-at = 等待发送第 { $n } 个请求；已得到的应答：{ $codes }
map-worker-stale = 它读到的 resourceVersion 是 { $believed }；存储中是 { $stored }。
map-events = { $n } 个事件待写入
map-memory = 两次同步之间的记忆
map-memory-about = 除缓存中的对象之外，下一次同步还知道的内容，例如它在等待什么、某事失败了几次。
state-off = 已关闭
state-down = 已停止
state-failing = 有键失败
state-working = 有请求待发送
state-queued = 有键待处理
state-behind = 还有未得知的变化
state-waiting = 等待某个时刻
state-idle = 空闲
rooms = kubelet 的各个部分
room-sources = 配置来源
room-pods = { $n ->
   *[other] { $n } 个 Pod
}
room-http = 此处没有实现：Pod 来自 API 服务器和文件。
room-workers = Pod worker
room-workers-none = 这个节点上没有 Pod。
room-wait-nothing = 等待变化
room-wait-mount = 等待卷挂载
room-wait-sandbox = 等待沙箱
room-wait-pull = 等待镜像，容器
room-wait-start = 等待启动，容器
room-wait-post-start = 等待 postStart 回调，容器
room-wait-kill = 等待终止，容器
room-wait-retry = 重试
room-wait-attach = 等待卷附加到节点
room-wait-relist = 等待 PLEG 再次列举容器
room-steps = { $n ->
   *[other] 之后还有 { $n } 步
}
room-pleg = PLEG
room-pleg-none = 运行时还没有报告过容器。
room-pleg-lists = 每 { $s } 秒列举一次容器
room-pleg-next = 下一次会有发现的列举
room-unnoticed = 尚未发现
room-exit = 退出码 { $code }
room-ago = { $s } 秒前
room-unseen = 此后尚未同步
room-probes = 探针 worker
room-probes-none = 运行中的容器都没有探针。
room-probe-how = { $handler }，每 { $s } 秒
room-probe-passed = 成功
room-probe-failed = 失败
room-probe-open = 还没有结果
room-probe-passes = 成功 { $n } / { $of } 次
room-probe-fails = 失败 { $n } / { $of } 次
room-probe-hold = 等待新的容器
room-statuses = 状态管理器
room-statuses-none = 没有要写的状态。
room-unwritten = 尚未写入
room-reported = { $n ->
    [0] API 服务器上没有与这里一致的状态。
   *[other] API 服务器上有 { $n } 个状态与这里一致。
}
room-volumes = 卷管理器
room-volumes-none = 没有 Pod 使用卷。
room-volume-wanted = 期望有，尚未就位
room-worlds = 期望状态中 { $desired } 个卷，实际状态中 { $actual } 个
room-manager = 容器管理器
room-cpus-none = CPU 管理器策略为 none：所有容器共享所有 CPU。
room-topology = 拓扑管理器：{ $policy }，作用域 { $scope }；{ $numa } 个 NUMA 节点
room-cpus-pools = 共享池 { $shared }，预留 { $reserved }
room-cpus-own = CPU { $cpus }
room-cpus-numa = NUMA 节点 { $nodes }
room-shutdown = 节点正在关机：{ $of } 组 Pod 中已通知 { $told } 组结束
room-shutdown-waits = 等待 { $n } 个 Pod，最多 { $s } 秒
room-volume-unattached = 待附加
room-volume-attached = 已附加，待暂存
room-volume-staged = 已暂存，待挂载
room-volume-mounted = 已挂载
room-volume-written = 已写入
room-volume-version = 版本 { $n }
room-eviction = 驱逐管理器
room-signal = { $has } / { $all }；阈值 { $least }
room-signal-soft = 持续 { $s } 秒
room-signal-met = 现在已触发
room-signal-since = 已触发 { $s } 秒
room-signals-none = 节点还没有报告自己的资源。
room-looks = { $s } 秒后再次检查。
room-looks-not = 用量变化时再次检查。
room-garbage = 镜像与容器的垃圾收集
room-images = { $n ->
   *[other] { $n } 个镜像，{ $size }
}
room-disk = 磁盘共 { $size }
room-images-unused = { $n ->
    [0] 所有镜像都在使用
   *[other] { $n } 个没有容器使用，{ $size }
}
room-dead = { $n ->
    [0] 没有已终止的容器
   *[other] { $n } 个已终止的容器
}
room-node = 节点状态与租约
room-lease = { $s } 秒前续约
room-lease-none = 还不存在
room-next = { $s } 秒后再次
room-status-none = 没有计划
room-runtime = CRI：containerd
room-runtime-none = 没有沙箱。
room-pause-about = 保持 Pod 的各个名字空间的容器
room-pulling = 正在拉取
calls-title = 这一步中对容器运行时（CRI）的调用
calls-none = 没有。
calls-ask = 查看它对运行时的调用
calls-far = 太远，无法查看：这一步非常长。
calls-prev = 上一个调用
calls-next = 下一个调用
calls-at = 第 { $n } 个调用，共 { $all } 个
calls-now = 立即得到应答
calls-takes = { $s } 秒后得到应答
calls-open = 不知道何时应答
calls-later = { $s } 秒后调用
calls-returns = 对先前调用的应答
calls-request = 请求
calls-answer = 应答
calls-answer-empty = 空
calls-below = 为此所做的事
call-Version = kubelet 询问这是哪个运行时。
call-RunPodSandbox = 创建 Pod 的沙箱：由 pause 容器保持的名字空间和 cgroup，以及网络。
call-PodSandboxStatus = kubelet 询问沙箱的地址。
call-StopPodSandbox = 停止沙箱中仍在运行的一切，并归还网络。
call-RemovePodSandbox = 删除不再有任何东西运行的沙箱。
call-CreateContainer = 在沙箱中创建容器。其中还没有东西运行。
call-StartContainer = 启动容器的程序。
call-StopContainer = 发送停止信号，超时后发送 SIGKILL。
call-RemoveContainer = 删除已终止容器的残留。
call-ExecSync = 在容器中执行命令并等待退出码：探针或回调。
call-UpdateContainerResources = 在容器运行时更改它的 cgroup。
call-ImageStatus = kubelet 询问运行时是否有这个镜像、多大、以哪个用户运行。
call-PullImage = 让运行时拉取镜像。
call-RemoveImage = 删除没有容器使用的镜像。
part-memory = 根据自己所知应答
part-handler = 按配置选取该处理程序对应的运行时
part-pause-image = 确保 pause 镜像存在
part-host-network = 让 Pod 使用节点的网络
part-netns = 创建网络名字空间
part-cni-add = 给 Pod 一个网络接口和地址
part-cni-result = Pod 的地址
part-cni-del = 收回网络接口和地址
part-netns-removed = 删除网络名字空间
part-snapshot = 在镜像各层之上创建可写层
part-shim-start = 为沙箱启动：containerd 重启时它仍在
part-shim-unknown = 属于一个此处不了解的处理程序
part-create-pause = 创建名字空间和 cgroup，以及其中的 pause 容器
part-sentry = 在用户空间应答 Pod 系统调用的内核，以及替它打开文件的进程
part-start-pause = 启动 pause 容器
part-kill-pause = 终止 pause 容器
part-delete = 删除已终止者的名字空间和 cgroup
part-removed = 忘掉它，并删除它的可写层
part-spec = 写出 OCI 规范：进程、挂载、名字空间、限制
part-sandbox-files = 加上沙箱的文件
part-shim-create = 让 OCI 运行时创建容器
part-create = 在沙箱的名字空间中创建容器
part-start = 运行它的程序
part-exited = 看到进程已终止，并报告
part-term = 发送停止信号
part-kill = 立即发送 SIGKILL
part-grace = 等这么久，然后发送 SIGKILL
part-shim-exec = 让命令得到执行
part-exec = 在容器的名字空间中运行命令
part-shim-update = 让限制得到更改
part-update = 写入 cgroup
part-image-store = 查看自己的镜像存储
part-resolve = 被询问这个名字对应哪个清单
part-layers = 发送还没有的各层
part-unpacked = 已解包
part-image-removed = 删除名字；不再被引用的内容会被收集
stage-authenticate = 认证
stage-authorize = 授权
stage-decode = 解码
stage-patch = 合并修改
stage-default = 默认值
stage-mutate = 变更性准入
stage-compare = 比对
stage-prepare = 准备
stage-validate = 校验
stage-admit = 验证性准入
stage-store = 存储
stage-passed = 通过
stage-same = 没有改动任何内容。
stage-changed = 改动了 { $n } 个字段
stage-refused = { $code ->
    [0] 没有人监听
   *[other] 被拒绝：{ $code }
}
stage-not-reached = 未到达
stage-absent = 最近一次请求没有经过这个阶段。
stage-authenticate-about = 是 { $user }。人的身份由请求头说明；集群自己的组件不需要证明身份。
stage-authorize-about = 人可以做什么由角色和绑定（RBAC）决定；集群自己的组件不受检查。
stage-decode-about = { $n } 字节的 { $media }，内容是 { $kind }。
stage-decode-none = 没有请求体。
stage-patch-about = 把修改合并到已存储的对象。
stage-default-about = 为未写明的字段填入默认值。
stage-mutate-about = 是可以改动对象的准入插件。
stage-compare-about = 请求基于 resourceVersion { $brings }；存储中是 { $had }。
stage-compare-none = 请求没有指明 resourceVersion，因此对任何版本都有效。
stage-prepare-about = 设置只由服务器写入的字段。
stage-validate-about = 按该类别的规则检查对象。
stage-admit-about = 是可以拒绝对象的准入插件。
stage-store-about = 写入 etcd 并通知各个 watch。
stage-store-put = { $object }，revision { $n }
stage-store-removed = { $object } 已移除，revision { $n }
stage-store-nothing = 没有写入任何内容。
stage-told = { $who }：通知 { $n } 个 watch
into = 进入这一步
into-about = 逐个走过组成 { $who } 这一步的 { $n } 个最细动作（I）
into-inside = 在 { $who } 的一步之内
out = 退出
out-about = 回到刚才进入的那一步（Esc）
into-title = 由 { $n } 个最细动作组成
into-how = 选择一个，在新的分支上前往那里。
into-nothing = 这一步没有更细的组成。
into-too-many = 它由超过 { $n } 个最细动作组成。
request-as = 显示为
request-plain = YAML
request-verbose = kubectl -v=9
request-copy = 复制
request-copied = 已复制。

## 所有顺序
explore = 所有顺序
explore-keys = 从当前时刻起，各组件按任何顺序行动时会发生什么（O）
key-explore = 命令按任何顺序执行时会发生什么
explore-about = 不管谁先走：从当前时刻能到达的所有状态。
explore-drawing = 看完所有状态、或者到达某个上限时，就会画出状态图。
explore-events = 只写 Event 或 Lease 的命令在这里不算一步：只在这些方面不同的状态视为同一个。
explore-empty = 还没有探索过。“开始”会从当前时刻起，用与机器核心数一样多的线程看遍所有可能发生的顺序。
explore-symmetry = 相同的 Pod 和节点
explore-merged = 算作一个
explore-distinct = 分别看待
explore-states = 状态上限
explore-steps = 步数上限
explore-memory = 内存上限（MB）
explore-invariants = 应当成立的条件
explore-holds-maxUnavailable = 上线时拿走的就绪 Pod 不超过 maxUnavailable
explore-holds-maxSurge = 上线时多建的 Pod 不超过 maxSurge（正在删除的不计）
explore-holds-oneController = 没有对象同时有两个控制器属主
explore-holds-noOrphan = 最后没有对象的属主已不存在
explore-holds-boundOnce = 没有 Pod 换节点
explore-holds-noRequestLost = 运行中的客户端无论何时发送请求，都不会丢失或中断；会互相影响的请求按这次运行实际的发送情况判断
explore-own = 你自己的条件，用 CEL 写，变量是 objects
explore-own-hint = 成立时为 true。objects 是 kubectl get -o json 打印的对象列表，不含 event 和 lease；正在删除的 Pod 仍在其中。
explore-own-wrong = 无法解析：{ $why }
explore-own-wrong-at = 第 { $line } 行第 { $column } 列：{ $why }
explore-own-steady = 只看稳态
explore-start = 开始
explore-loading = 正在加载探索器……
explore-replaying = 正在重放：{ $done } / { $of } 步
explore-progress = { $states } 个状态，还有 { $waiting } 个待看，深 { $steps } 步；每秒 { $rate } 个，{ $mb } MB
explore-failed = 探索器出错了：{ $why }。“开始”会换一个新的。
explore-refused = 探索器拒绝了：{ $why }
explore-no-way = 没有可以重走的路通到那里。
explore-other-run = 这是为另一次运行找到的。“开始”会探索当前这一次。
explore-opened = 已放到时间线上：按这里的数法是 { $n } 步。“分享”可以生成链接。
explore-diverged = 这条路只能重走 { $n } 步。
explore-open = 在时间线中打开
explore-one-end = 所有顺序都到达同一个稳态。
explore-one-end-if = 所有会结束的顺序都到达同一个稳态。
explore-ends = 取决于顺序：可能到达 { $n } 种不同的稳态。
explore-no-end = 没有顺序会结束：没有稳态。
explore-ends-yet = 能到达 { $n } 种稳态；可能还有别的。
explore-no-end-yet = 目前还没有到达稳态。
explore-looked = { $states } 个状态，其间 { $edges } 步，用时 { $seconds } 秒（每秒 { $rate } 个）。
explore-took = 占 { $memory }，每个 { $kb } KB。
explore-cut-stop = 已停止。
explore-cut-states = 到了状态上限。
explore-cut-steps = 到了步数上限。
explore-cut-waiting = 等待的状态太多。
explore-cut-memory = 到了内存上限。
explore-cut-circle = 有组件一直空转而不写入，所以不能全部看到。
explore-cut-waiting-for = 还有 { $n } 个状态没看。
explore-cut-left = 已看到离起点 { $steps } 步为止。找到的状态确实存在，每条路也都走得通；但不能断定没有别的。
explore-shortest = 最短的顺序要 { $n } 步。
explore-longest = 最长的要 { $n } 步。
explore-outcome = 结局 { $nth }，至少 { $n } 步
explore-circle = 有一种顺序永不结束：{ $before } 步之后，再走 { $length } 步又回到同一个状态。
explore-no-circle = 每种顺序都会结束。
explore-no-circle-yet = 没有找到永不结束的顺序。
explore-holds = { $what }：在所有顺序中成立
explore-holds-yet = { $what }：在看过的范围内成立
explore-why-maxSurge = 在 Kubernetes 中也会这样：Deployment 控制器统计的是各 ReplicaSet 应有和报告的数量，而不是 Pod。如果在 ReplicaSet 控制器删除旧 Pod 之前它行动了两次，新的 Pod 就会暂时多出来
explore-why-maxUnavailable = 在 Kubernetes 中也会这样：Deployment 控制器把各 ReplicaSet 报告的数量相加。如果某个 ReplicaSet 还没报告第一次减少，它就再次缩容，删除的 Pod 就会比它打算的多
explore-breaks = { $what }：{ $n } 步之后不成立
explore-undecided = { $what }：对 { $n } 步之后的一个状态无法判断
explore-graph-keys = 状态：方向键移动，Enter 在时间线中打开
explore-detail = 选中的状态
explore-hidden = 画出 { $n } 个状态，{ $hidden } 个没有画。
explore-key-end = 稳态
explore-key-broken = 违反应当成立的条件
explore-key-circle = 在循环中
explore-key-lit = 时间线上的运行
explore-state = 状态 { $id }，离起点 { $n } 步
explore-state-end = 稳态，结局 { $nth }
explore-state-broken = 违反应当成立的条件
explore-state-circle = 在循环中
explore-state-open = 没有继续看
explore-state-now = 运行现在在这里
explore-state-lit = 在运行经过的路上
explore-came = 由 { $what } 到达
explore-time = 时间推进
explore-more = 还有 { $n } 个没画：画出来

## 嵌入、分享、导出与演示
open-whole = 在 Steady 中打开
player-next = 接下来：{ $what }
player-ended = 本页面只展示到这一步。
player-at = 第 { $n } 步
present-leave = 退出（Esc）
share-title = 分享
share-link = 本次运行的链接
share-lesson = 课程的这一步，从头开始
share-scenario = 这个场景，从头开始
share-link-about = 链接包含起点和所做的操作，不包含集群本身：{ $n } 个字符。不会向任何地方发送数据。
share-copy = 复制
share-copied = 已复制
share-not-copied = 浏览器不允许在此复制：请选中文本。
share-embed = 嵌入网页
share-embed-size = 尺寸
share-embed-parts = 显示
share-embed-theme = 主题
share-embed-theme-system = 跟随读者的系统
share-embed-theme-light = 浅色
share-embed-theme-dark = 深色
share-embed-code = 框架代码
share-embed-frame = Steady：{ $what }
share-part-story = 说明
share-part-next = 接下来的命令
share-part-timeline = 时间线
share-part-manifest = 清单
share-part-object = 对象
share-note = 你在第 { $n } 步的讲解
share-note-about = 嵌入或演示本次运行时，从这一步起显示。它包含在链接里。
share-download = 下载
share-svg = 对象图，SVG
share-png = 对象图，PNG
share-mermaid = 对象图，Mermaid
share-animated = 运行过程，动画 SVG
share-markdown = 运行过程，Markdown
share-yaml = 所有对象，YAML
share-declared = 所声明的内容，YAML
share-dot = 所有顺序，DOT
share-download-failed = 无法生成文件：{ $why }
share-present = 演示
share-print = 打印
export-open = 在 Steady 中打开本次运行
export-step = { $n }. { $who }（{ $s } 秒）
export-created = 创建了 { $object }
export-changed = 更改了 { $object }
export-deleted = 删除了 { $object }
export-fields = 另有 { $n } 个字段
export-more = 另有 { $n } 步。
import-offer = 这是 kubectl 打印的集群内容，不是清单。
import-do = 以它作为起点运行
import-refused = 它不能作为运行的起点：{ $why }
import-no-cluster = 其中没有带 uid 的对象，因此不是 kubectl 打印的集群内容。
import-large = 它超过 { $n } 字节。
import-said = 你的集群中的 { $n } 个对象已在这里，并保留其状态。本次运行的链接长约 { $kb } KB。
import-taken = 已接收：{ $what }
import-unknown = 已略去，此处不认识其类别：{ $what }
import-unreadable = 已略去，{ $what }：{ $why }
import-made = 因其他对象需要而创建：{ $what }
import-orphaned = 已去掉指向文本中不存在的属主的引用：{ $n } 处。否则垃圾收集器会删除这些附属对象。
import-tainted = 带有控制平面污点的节点，因为一个完整的 DaemonSet 在其上没有 Pod：{ $what }
import-autoscaled = 文本中没有 Pod 的用量：只有安装了 metrics server（在“制造故障”中），自动扩缩器才知道用量。
link-no-scenario = 没有场景 { $id }。

# 规则手册与术语表

rules = 规则手册
rules-open = 规则
rules-title = 规则手册：每个组件的每条规则（B）
rules-about = 每个组件都遵循这种形式的规则：条件成立时，命令就被启用，轮到该组件时由它发出。命令会使自己的条件不再成立。当所有组件都没有启用的规则时，集群处于稳态。
rules-find = 查找规则
rules-show = 显示哪些规则
rules-all = 全部 { $n }
rules-enabled = 现在启用 { $n }
rules-used = 本次运行用过 { $n }
rules-none = 没有这样的规则。
rules-unknown = 在命令和调谐这两个深度，找到接下来的命令之后，才知道哪些规则被启用。
rules-more = 还有 { $n } 个组件有事可做，没有查看。
rule-open = 规则
rule-about = 规则手册中的规则 { $rule }
rule-enabled = 现在启用
rule-then = 启用
rule-used = { $n ->
    [0] 本次运行没有用过
   *[other] 本次运行用过 { $n } 次
}
rule-last = 转到最近一次
rule-place = 代码位置：
term-page = Kubernetes 文档：{ $term }

# 课程

course = 课程
course-open = 课程…
course-title = 一课一个要点，五分钟
course-about = 每课只讲一个要点，五分钟，用的是一个可以单步、可以弄坏、可以分享的集群。从哪一课开始都行；每课下面写着它承接哪一课。
course-done = 已学完
course-reached = 第 { $n } 步，共 { $of } 步
course-next = 下一课
course-after = 承接 { $which }
course-chapter = 第 { $n } 章
course-chapter-1 = 1. 机制
course-chapter-2 = 2. 声明式
course-chapter-3 = 3. Deployment
course-chapter-4 = 4. 控制器内部
course-chapter-5 = 5. 各不相同的工作负载
course-chapter-6 = 6. 扩展
course-chapter-7 = 7. 节点与网络
course-own = 打开课程文件…
course-export = 保存进度
course-import = 载入进度…
course-reset = 清除进度
course-forgotten = 进度已清除。
course-refused = 这个文件里没有进度。

lesson-called = 课程：{ $title }
lesson-leave = 离开本课
lesson-steps = 本课的步骤
lesson-step = 第 { $n } 步，共 { $of } 步
lesson-end = 本课结尾
lesson-back = 上一步
lesson-next = 下一步
lesson-finish = 你看到了什么
lesson-first = 先回答问题，或者达成目标。
lesson-onward = 下一课：{ $place } { $title }
lesson-point = 请在图中选中一个 { $kind }。
lesson-this-one = 我猜是 { $kind } { $name }
lesson-order = 按它们发生的先后依次点选。
lesson-predict = 我猜是这样
lesson-number = 从 { $from } 到 { $to }：
lesson-number-wrong = 应是 { $from } 到 { $to } 之间的整数。
lesson-then = ，然后{" "}
lesson-as-said = 如你所说：{ $what }
lesson-said = 你说的
lesson-really = 实际发生的
lesson-goal = 你的目标
lesson-follow = 查看从 { $pod } 到 { $url } 的数据包经过哪里
lesson-prints = 终端此刻的输出
lesson-holds = ：已成立
lesson-open = ：尚未成立
lesson-unknown = ：此刻无法判断
lesson-met = 目标已达成。
lesson-hint = 给个提示
lesson-solve = 演示一种做法
lesson-again = 重做这一步
lesson-astray = 运行已回到这一步之前。
lesson-saw = 你看到了什么
lesson-read-on = 延伸阅读
lesson-none = 此版本中没有课程 { $id }。
lesson-unread = 课程无法载入。网络是否可用？
lesson-no-answer = 这次运行在此处给不出答案：{ $why }
lesson-more-like = （此规则还有 { $n } 条）
lesson-fold = 收起课程
lesson-file = 课程
lesson-file-about = { $file }：课程随你所写而变。“分享”给出的链接里带着这一课。
lesson-file-reads = 这个文件是一课。
lesson-file-play = 从头演一遍
lesson-file-play-about = 每个预测都答对，每个目标都按给出的做法达成，并指出哪里不成立
lesson-file-sound = 已从头演到尾：承诺的都成立。
lesson-file-setup = 第一步之前：
lesson-file-step = 第 { $n } 步：
lesson-idle = 课程做的这件事没有改变任何东西：{ $deed }：{ $why }
lesson-not-solved = 这种做法在这里没有达成目标。
lesson-file-save = 存为文件
course-write = 写一课
course-write-about = 打开一课的副本，边改边看结果

# 滚动更新会丢失请求吗？
rehearse = 请求
rehearse-keys = 滚动更新会丢失请求吗？（Q）
key-rehearse = 滚动更新会丢失请求吗？
menu-rehearse = 滚动更新会丢失请求吗？
rehearse-title = 滚动更新会丢失请求吗？
rehearse-about = 在运行的一个副本上替换 Pod，同时有客户端访问其 Service。运行本身保持不变。
rehearse-workload = 工作负载
rehearse-occasion = 由什么替换它的 Pod
rehearse-rollout = 滚动更新：编辑器中的文本，或重启
rehearse-undo = kubectl rollout undo
rehearse-scale = kubectl scale，副本数减半
rehearse-drain = kubectl drain，腾空有其 Pod 的节点
rehearse-port = Service 和端口
rehearse-keep-alive = 客户端保持连接（keep-alive）
rehearse-alone = { $name }（没有 Service 指向它）
rehearse-in-editor = { $name }（在编辑器中）
rehearse-rate = 每个客户端每秒的请求数
rehearse-own-clients = 运行中自己的 { $clients } 个客户端每秒共发送 { $rate } 个请求，这里就用它们。
rehearse-start = 试一试
rehearse-does = 如果编辑器中的文本会改变该工作负载，就以应用它作为更新；否则执行 kubectl rollout restart。回滚、缩容和腾空节点都针对集群中现有的工作负载；腾空的是其 Pod 最多的节点，并遵守 PodDisruptionBudget。每个就绪节点上有一个客户端，最多五个；如果运行中已有 Pod 或集群外部的客户端在向该 Service 发送请求，就以它们为客户端。
rehearse-empty = 还没有试过。每个请求都会计入：由谁应答；若无人应答，原因是什么。如果有请求丢失，还会从同一起点分别尝试可能有用的修改。
rehearse-working = 正在向运行的副本发送请求……
rehearse-loading = 正在加载工作线程……
rehearse-progress = 第 { $nth } 次更新，至少共 { $of } 次，{ $steps } 步
rehearse-other-run = 这是针对另一个运行得出的结果。
rehearse-no-workload = 没有可更新的对象：集群和编辑器中都没有 Deployment、StatefulSet 或 DaemonSet。
rehearse-no-service = 没有 Service 指向它的 Pod，因此不会有请求到来。请添加一个选择算符与 Pod 标签相符的 Service。
rehearse-not-reached = Service { $service } 的端口 { $port } 不指向它的 Pod。
rehearse-no-former = 它没有可以回滚到的上一个修订版本。
rehearse-too-few = 它的副本不足两个，无法减半。
rehearse-no-pods = 没有节点上有它的 Pod。
rehearse-of-daemon-set = DaemonSet 在它的每个节点上都有一个 Pod：它不能扩缩，kubectl drain 也会把它的 Pod 留在原处。
rehearse-undrained = 节点没能腾空，集群已达到稳态。kubectl 的输出：{ $why }
rehearse-untried = 无法尝试的
rehearse-no-http = { $url } 处的监听者接受连接，但不讲 HTTP。这里只能试 HTTP 请求，所以无从判断。
rehearse-no-node = 没有就绪的节点，客户端无法运行。
rehearse-restless = 集群在更新之前没有达到稳态，因此无法区分哪些请求是因更新而丢失的。
rehearse-refused = 被拒绝：{ $why }
rehearse-failed = 工作线程出错：{ $why }
rehearse-before = 更新尚未开始，请求就已经在丢失。
rehearse-nothing-sent = 没有发送请求，因此无从得知。
rehearse-none-lost = { $sent } 个请求一个都没有丢失。
rehearse-some-lost = { $sent } 个请求中丢失了 { $lost } 个。
rehearse-how = { $clients } 个客户端在 { $seconds } 秒内访问 { $url }，其间{ $how }
rehearse-by-restart = 执行了 kubectl rollout restart。
rehearse-by-apply = 应用了编辑器中的文本。
rehearse-by-undo = kubectl rollout undo 回滚到了修订版本 { $revision }。
rehearse-by-scale = kubectl scale 把副本数从 { $from } 改为 { $to }。
rehearse-by-drain = 执行了 kubectl drain { $node }。
rehearse-cut = 更新没有达到稳态，在集群时间一小时后放弃。
rehearse-chart = 更新期间 { $sent } 个请求中丢失 { $lost } 个
rehearse-begin = 更新开始
rehearse-after = { $seconds } 秒
rehearse-at = { $seconds } 秒
rehearse-first = 第一个丢失的请求
rehearse-request = { $node } 上的 { $client } 发往 { $to }（{ $endpoint }）的第 { $nth } 个请求：
rehearse-request-nowhere = { $node } 上的 { $client } 的第 { $nth } 个请求：
rehearse-request-outside = 来自{ $client }、发往 { $to }（{ $endpoint }）的第 { $nth } 个请求：
rehearse-request-outside-nowhere = 来自{ $client }的第 { $nth } 个请求：
rehearse-stale = { $node } 的规则落后了：EndpointSlice 已不再把这个端点列为就绪。
rehearse-stale-proxy = { $through } 中的端点列表落后了：EndpointSlice 已不再把这个端点列为就绪。
rehearse-open = 在时间线中打开那一时刻
rehearse-one-order = 这次演练只走了命令的一种顺序。“所有顺序”会从它刚开始、尚无组件对其动作的时刻起，检查全部顺序。
rehearse-every-order = 从那里检查所有顺序
rehearse-open-run = 在时间线中打开这次更新
rehearse-open-named = 在时间线中打开：{ $name }
rehearse-mends = 怎样修复
rehearse-mends-how = 每项改动都要先生效，而这本身也是一次滚动更新，会像第一次那样丢失请求；统计的是其后的那次滚动更新。
rehearse-brought = { $lost ->
    [0] 打开后，运行停在这项修改已就位的时刻；滚动更新随后进行。
   *[other] 打开后，运行停在这项修改已就位的时刻，滚动更新随后进行。此前把修改换上去时丢失了 { $lost } 个请求，时间线下方的那一行会把它们计算在内。
}
rehearse-mends-not = 试过但不能修复的
rehearse-mended = { $sent } 个请求一个都没有丢失
rehearse-still-lost = { $sent } 个请求中仍丢失 { $lost } 个，原来是 { $plain } 个
rehearse-as-many-lost = 丢失的一样多：{ $sent } 个请求中丢失 { $lost } 个
rehearse-more-lost = 丢失的更多：{ $sent } 个请求中丢失 { $lost } 个，原来是 { $plain } 个
rehearse-opened = 已在时间线上，位于演练的第 { $n } 步之后：这是你的运行的一个分支。“分享”会为它生成链接。
rehearse-diverged = 无法原样重放这次更新。
mend-readiness = 就绪探针
mend-readiness-about = 除非有探针说明端口何时打开，否则容器一运行，Pod 就会收到请求。
mend-sleep = 休眠的 preStop 回调
mend-sleep-about = 在 EndpointSlice 和所有节点的规则得知它将终止期间，容器继续提供服务；之后才收到 SIGTERM。
mend-longer-sleep = 休眠 { $seconds } 秒的 preStop 回调
mend-longer-sleep-about = 现有的回调在各方得知容器将终止之前就结束了；让它休眠更久。
mend-longer-grace = { $seconds } 秒的体面终止限期
mend-longer-grace-about = terminationGracePeriodSeconds 一到，容器就会被强制终止，不论 preStop 回调和正在进行的应答还需要多久。
mend-min-ready = minReadySeconds: 5
mend-min-ready-about = 新 Pod 必须就绪一段时间后，旧 Pod 才会为它让位，这时所有节点的规则都已指向新 Pod。
mend-available = maxUnavailable: 0
mend-available-about = 在替代的 Pod 就绪之前，不会终止任何 Pod。
mend-drain = 会完成应答的程序
mend-drain-about = 收到 SIGTERM 后，它不再接受新连接，完成已经开始的应答，然后退出。这取决于程序本身；这里用注解 sim.steady/on-sigterm: drain 来表示。
lost-no-such-name = 没有这个名字。
lost-no-dns = DNS 没有应答。
lost-no-endpoints = 连接被拒绝：该 Service 没有端点。
lost-not-listening = 连接被拒绝：没有进程在该端口监听。
lost-stopping = 连接被拒绝：该 Pod 已收到 SIGTERM，并关闭了端口。
lost-not-running = 连接被拒绝：容器没有运行。
lost-not-noticed = 连接被拒绝：容器已结束，而 kubelet 尚未报告。
lost-refused = 连接被拒绝。
lost-dropped = 没有应答：该 Service 在该节点上没有端点，规则丢弃了数据包。
lost-no-such-port = 没有应答：该 Service 没有这个端口。
lost-gone = 没有应答：没有谁拥有这个地址。
lost-cut-off = 没有应答：该节点失联。
lost-policy-egress = 没有应答：NetworkPolicy 不允许客户端发送。
lost-policy-ingress = 没有应答：NetworkPolicy 不允许该 Pod 接收。
lost-astray = 没有应答：应答由另一节点上的 Pod 直接发出，其源地址不是所请求的地址。
lost-no-route = 没有应答：网络插件没有到该节点的路由。
lost-timed-out = 没有应答。
lost-broken = 连接被关闭：进程在应答之前结束了。
lost-reset = 连接被重置：进程还没有读取请求就结束了。
lost-no-http = 连接被关闭而没有应答：在那里监听的程序不使用 HTTP（对 https 则是不使用 TLS）。
lost-too-slow = 应答所需的时间超过了客户端等待的时间。
lost-status = 服务器应答 { $status }。
took-ms = { $n } 毫秒
took-s = { $n } 秒
took-part = { $name } { $time }
took-join = ，
took-max = 最长
took-all = 每个应答都用了 { $time }
took-about = 应答所需的时间：一半的应答在 p50 之内，95% 在 p95 之内，99% 在 p99 之内，全部在最长时间之内。图中的实线是 p50，点线是 p99。
lost-queue-full = 服务器立即应答 503：它的队列已满。
lost-many = { $n } 个：{ $cause }
lost-join = {""}
lost-behind-rules = 其中 { $n } 个由节点的规则引导到那里，而这些规则还没有得知变化。
lost-behind-proxy = 其中 { $n } 个由代理引导到那里，而该代理还没有得知变化。
chart-answered = 已应答
chart-lost = 丢失
chart-p50 = 延迟 p50
chart-p99 = p99
chart-shown = 所示时刻

# 运行中客户端的请求
traffic-of = 运行中客户端的请求
traffic = 已发送 { $sent } 个请求，丢失 { $lost } 个
traffic-until-here = 到此刻为止：{ $here } · 整个运行：{ $run }
traffic-lost = 丢失 { $lost } 个
traffic-chart = 随时间变化的请求
traffic-chart-about = 按下一个条形，或用方向键选择后按回车：运行会转到那几秒中的一个请求；如果有丢失的请求，就是第一个丢失的。
traffic-seconds = 第 { $from }–{ $to } 秒
traffic-nobody = 第 { $from }–{ $to } 秒：其间没有请求开始
traffic-first = 第一个丢失的请求
traffic-why = 请求丢失的原因
traffic-why-run = 整个运行：{ $why }
traffic-why-seconds = 第 { $from }–{ $to } 秒：{ $why }
traffic-waiting = { $n } 个正在进行
traffic-connections = 到 { $endpoint } 的连接：{ $n } 个

# 一个请求的经过
sent-of = 该请求的经过
sent-request = { $pod } 对 { $url } 的第 { $nth } 个请求，在第一个客户端开始之后 { $at } 发送
requests-outside = 外部（{ $kind } { $name }）
sent-moment = 运行停在它发送之前的最后一步。
sent-answered = 它在 { $took } 后得到应答。
sent-nowhere = 它的名称没有结果。
sent-waits-for-connection = 客户端的所有连接都在使用，因此它等待其中一个。
sent-opens = 它建立到 { $to } 的连接，这是其节点的规则选择的。
sent-opens-stale = 它建立到 { $to } 的连接：其节点的规则落后了，EndpointSlice 已不再把这个端点列为就绪。
sent-opens-stale-proxy = 它建立到 { $to } 的连接，而代理的端点列表落后了：EndpointSlice 已不再把这个端点列为就绪。
sent-through = （经过 { $by }）
sent-passed-on = 服务器已经结束，因此 Ingress 控制器改为询问 { $to }。
sent-opens-nowhere = 它建立的连接到不了任何端点。
sent-reuses = 它使用之前建立的到 { $to } 的连接（其上已应答 { $used } 个请求）。不再询问规则。
sent-waits = 服务器先应答其他请求，因此它在队列中等待。
sent-status = 得到应答 { $status }。
sent-again = 它失败了，客户端再次发送。{ $why }
sent-again-closed = 服务器关闭了它所用的连接，因此客户端通过另一个连接再次发送，正如 Go 的 net/http 那样。
sent-lost = 它丢失了。{ $why }
journey-about-sent = 这是它此时建立连接时数据包的路径。
