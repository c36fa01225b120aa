# 页面文字。每一条在 en.ftl 中都有对应，占位符相同。Kubernetes 自己的词不翻译。

## 顶栏
scenarios = 场景
own-work = 自己的
kept = 你之前的工作
kept-about = 打开别的内容时已经收好。
theme = 浅色或深色
keys = 快捷键
share = 分享
faults = 制造故障
fault-restart = 重启 { $what }
fault-restart-about = 它的缓存和队列都会丢失，一切重新 list。
fault-watches = 切断 { $what } 的 watch
fault-watches-about = 它从已经看到的 revision 继续。
transport = 运行
restart = 回到开头
restart-keys = 回到开头（Home）
back = 后退一步
back-keys = 后退一步（←）
step = 单步
run = 运行
pause = 暂停
to-steady = 到稳态
to-steady-keys = 运行到谁都没有下一条命令（⇧→）
stop = 停止
speed = 速度
depth = 一步有多细
depth-command = 命令
depth-command-about = 一步是一次 API 写入（C）
depth-reconcile = 调谐
depth-reconcile-about = 一步是一个 key 走完一次 sync（R）
depth-machinery = 机制
depth-machinery-about = 一步是一个 watch 事件、delta、handler、key 或请求（M）

## 面板
panes = 面板
pane-graph = 图
pane-manifest = 编辑
pane-object = 对象
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
story = 看点
try-nothing = 什么也没有发生。
apply = 应用
apply-hint = 改点什么，这里会显示“应用”将做什么。
apply-nothing = “应用”不会改变任何东西。
apply-would = “应用”将做什么
apply-create = 创建
terminal-log = kubectl 的输出
terminal-waits = 它在等待：走一步，它会再看。Ctrl+C 结束。
terminal-hint = 这里可以用 kubectl：get pods -o wide、describe deployment web、scale deployment web --replicas=5、rollout undo deployment web。

## 图
problem-line = 第 { $line } 行
problem-more = 还有 { $n } 处
zoom = 缩放
zoom-in = 放大
zoom-out = 缩小
zoom-fit = 显示全部
lines = 连线
line-owner = 拥有
line-selector = 选择
line-binding = 运行于
line-reference = 引用
clock = t = { $s } 秒
card-revision = { $kind } · 修订 { $n }
card-paused = 已暂停
pod-no-node = 尚未调度
pod-restarts = 重启 { $n } 次
node-pods = { $n } 个 Pod
fold = { $n } 个 Pod，{ $ready } 个就绪
label-workload = 就绪 { $ready }/{ $want }
label-pod = { $word }，容器就绪 { $ready }/{ $of }，{ $node }{ $restarts ->
    [0] { "" }
   *[other] ，重启 { $restarts } 次
}
label-node = { $word }，{ $n } 个 Pod
label-changed = 上一步改变了它

## 接下来的命令
next-pick = 接下来的命令：选谁先走
next-actions = 接下来可能发生的：选一个
next-waiting = 时间不走，谁都没有事做
next-none = 接下来的命令
next-running = 正在运行。
next-more = 还有 { $n } 条
go-first = 先走
because = 因为
refused = 将被拒绝：{ $code }
in-time = { $s } 秒后
step-verb = 动作
steady = 稳态
steady-nothing = 什么都没有声明，也没有事可做。
steady-met = 运行的正是所声明的：{ $n } 个 Pod。
steady-unmet = 谁都没有下一条命令，但还不是所声明的样子。
short = 声明 { $want }，已更新 { $updated }，可用 { $available }，共 { $total }
short-paused = 已暂停：声明 { $want }，已更新 { $updated }，可用 { $available }，共 { $total }
short-unattended = 已接受并保存；此版本尚未包含它的控制器，因此不会有任何动作
pill-running = 运行中
pill-looking = 正在看
pill-waiting = 等待 { $s } 秒
pill-next = { $n } 条接下来的命令
pill-actions = { $n } 个可能的动作
pill-declared = { $have }/{ $want } 个 Pod 符合声明

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
inspect-gone = 已删除
owned-by = 属于 { $kind } { $name }
yaml-more = 全部字段
yaml-less = 少些字段
was = 原为 { $value }
conditions = Conditions
events = Events
none = 没有。
links-owners = 属于
links-dependents = 拥有
links-selects = 选择
links-selected-by = 被选择
links-node = 运行于
links-pods = 其上的 Pod
links-names = 引用
links-named-by = 被引用
request-body = 请求
response-body = 响应
request-none = 这一步没有请求。
actions = 可以对它做什么
act-more = 加一个
act-fewer = 减一个
act-restart = 重启滚动
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

## 发生了什么
said = { $who }：{ $what }
said-because = { $who }：{ $what }，因为{ $why }
said-more = { $first }（还有 { $n } 条）
said-nothing = 什么也没有写入。
said-start = 集群已启动，还没有声明任何东西。
said-you = 你：{ $what }
said-node-down = 你断开了 { $what }。
said-node-up = 你恢复了 { $what }。
said-restart = 你重启了 { $what }。
said-watches = 你切断了 { $what } 的 watch。
said-crash = 你让 { $what } 的容器 { $container } 以退出码 { $code } 结束。
said-probe-fails = 你让 { $what } 的 { $probe } 探针失败。
said-probe-passes = 你让 { $what } 的 { $probe } 探针恢复通过。
said-image-gone = 你从镜像仓库移走了 { $what }。
said-image-back = 你把 { $what } 放回了镜像仓库。
action-list = { $who } list 所有 { $kind }
action-watch = 关于 { $kind } 的 watch 事件到达 { $who }
action-pop = 一个 { $kind } 从 delta FIFO 进入缓存
action-notify = 它的 handler 得知一个 { $kind }
action-start = 它的 worker 取出下一个 key
action-send = 它的请求发出并得到回应
action-record = 它的下一个事件被写入
action-advance = 时间流逝
action-other = 它继续
out-listed = list 了 { $kind }：{ $n } 个对象
out-reflected = 关于 { $object } 的 watch 事件进入 delta FIFO
out-indexed = { $object } 进入缓存
out-handled = handler 得知 { $object }，把 key 放入队列
out-started = worker 取出 { $key }，sync 运行到第一个请求
out-synced = worker 取出 { $key }，没有要写的
out-recorded = 写入了一个事件
out-advanced = 时间过去了 { $s } 秒

## 消息
stepping = 正在寻找下一条命令
setting-up = 正在布置：{ $n } 步
still-loading = 正在打开一次运行，请先停止它，或等它完成
stopped-work = 已停止。你的工作在场景菜单里。
stopped-link = 已停止，没有打开。
link-opened-first = 已打开链接。
evicted = pod/{ $pod } 已驱逐
close = 关闭
running = { $n } 步
restoring = 第 { $done } 步，共 { $of } 步
limit-steps = 一次运行满 { $n } 步，已停止。
save-full = 你的工作（{ $kb } KB）放不进浏览器的存储，刷新会丢失。用链接分享来保留它。
shared = 链接已复制到剪贴板（{ $n } 个字符）。
shared-address = 链接在地址栏里（{ $n } 个字符）。
link-refused = 这个链接没有打开，你的工作保持原样：{ $why }
link-newer = 它由更新版本的页面生成。请刷新页面，或在生成它的地方打开。
link-large = 它超过 { $n } 字节。
link-damaged = 它已损坏（{ $what }）。请对方再发一次。
link-limit = 它要求超过 { $n } { $what }。
link-opened = 已打开链接。你自己的工作在场景菜单里。
link-differs = 这次运行与生成链接时的结果不同：页面在那之后有了改进。

## 快捷键
key-run = 运行或暂停
key-choose = 选择接下来的命令
key-editor = 到清单
key-terminal = 到 kubectl
key-graph = 到图，然后用方向键
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

## 为什么：库中每条规则一句
why-claim_objects-adopt = 它的标签匹配，而且没有主人
why-claim_objects-release = 它的标签不再匹配
why-manage_replicas-create = 需要 { $want } 个，现有 { $have } 个
why-manage_replicas-delete = 需要 { $want } 个，现有 { $have } 个
why-new_replica_set-create = 还没有 ReplicaSet 使用 { $deployment } 的模板；它从 { $replicas } 个开始，共要 { $want } 个
why-new_replica_set-created = ReplicaSet { $replica_set } 现在是修订 { $revision }
why-new_replica_set-found = 修订 { $revision } 的 ReplicaSet 已经是这个模板
why-new_replica_set-update = 使用 { $deployment } 模板的 ReplicaSet 成为修订 { $revision }
why-new_replica_set-collision = 已有别的 ReplicaSet 叫 { $replica_set }，换一个名字再试
why-new_replica_set-failed = 无法创建它的 ReplicaSet：{ $error }
why-sync_rollout_status = 清点：{ $want } 个中已更新 { $updated }，就绪 { $ready }，可用 { $available }
why-cleanup_deployment = 留有 { $old } 个旧 ReplicaSet，上限是 { $limit }：删去修订 { $revision }
why-rollback = 回滚到修订 { $revision }
why-selects_everything = 它的选择器匹配一切
why-check_paused_conditions = { $paused ->
    [true] 它已暂停
   *[other] 它已恢复
}
why-reconcile_new_replica_set-up = 新 ReplicaSet 可以从 { $from } 增加到 { $to }：总共最多 { $max } 个 Pod
why-reconcile_new_replica_set-down = 新 ReplicaSet 有 { $from } 个，只需要 { $to } 个
why-scale_down_old_replica_sets = 旧 ReplicaSet 可以从 { $from } 减到 { $to }：至少保持 { $min } 个可用
why-scale_down_old_replica_sets_for_recreate = 旧 Pod 全部离开之后新的才来：从 { $from } 到 { $to }
why-scale_up_new_replica_set_for_recreate = 旧 Pod 都已离开，可以来 { $to } 个新的
why-scale-only = 需要 { $want } 个，唯一的 ReplicaSet 有 { $from } 个
why-scale-saturated = 新 ReplicaSet 已齐，旧的从 { $from } 到 { $to }
why-scale-proportion = 滚动进行到一半，各 ReplicaSet 按比例分摊：从 { $from } 到 { $to }
why-update_replica_set_status = 清点：有 { $replicas } 个 Pod，就绪 { $ready }，可用 { $available }
why-schedule_one-bind = { $nodes } 个节点中有 { $feasible } 个合适，{ $node } 得分最高
why-schedule_one-unschedulable = 没有合适的节点：{ $message }
why-schedule_one-preempt = { $victim } 为 { $pod } 在 { $node } 上让位
why-endpoints-sync_service = { $service } 后面就绪的 Pod：{ $ready } 个
why-endpoints-service_gone = { $service } 已不存在，它的 Endpoints 也随之删除
why-endpointslice-reconcile = { $service } 后面列在此切片中的 Pod：{ $endpoints } 个
why-endpointslicemirroring-reconcile = 这些 Endpoints 不是由控制器创建的：切片与其内容相同
why-update_pdb_status = { $budget } 的 Pod 中有 { $healthy } 个健康，至少需要 { $desired } 个：可中断 { $allowed } 个
why-update_pdb_status-fail_safe = 无法统计它的 Pod，因此不允许中断：{ $error }
why-sync_stale_pod_disruption = { $pod } 本应被中断，但没有发生
why-sync_unbound_claim-default_class = 它没有指定存储类，默认类是 { $class }
why-bind-volume = 卷 { $volume } 满足声明 { $claim }，因此绑定给它
why-bind-claim = 声明 { $claim } 现在有了卷 { $volume }
why-update_claim_status = 声明的阶段是 { $claim }，现在为 { $phase }
why-update_volume_phase = 卷的阶段是 { $volume }，现在为 { $phase }
why-unbind_volume = 它的声明已绑定到另一个卷
why-delete_volume = 它处于 { $volume }，回收策略是 Delete
why-provision_claim = 声明 { $claim } 需要由 { $provisioner } 提供卷
why-volume_protection-remove_finalizer = 它已被删除且为 { $phase }：没有声明再使用它
why-volume_protection-add_finalizer = 绑定期间卷会被保留
why-claim_protection-remove_finalizer = { $claim } 已被删除，没有 Pod 使用它
why-claim_protection-add_finalizer = 有 Pod 使用时声明会被保留
why-provisioner-provision = 存储类 { $class } 的声明 { $claim } 还没有卷
why-provisioner-delete = 它处于 { $volume }，回收策略是 Delete
why-provisioner-remove_finalizer = 它的存储已释放
why-binding_cycle-nominate = 声明绑定后 { $pod } 将去往 { $node }
why-binding_cycle-bind_volume = { $volume } 在 { $node } 上满足 { $claim }
why-binding_cycle-select_node = { $pod } 去往 { $node }，因此 { $claim } 的卷要在那里创建
why-binding_cycle-failed = 它的声明无法绑定：{ $message }
why-kubelet-admit = { $node } 不接受它：{ $what }
why-kubelet-sync_pod = { $what }
why-kubelet-sync_terminating_pod = { $what }
why-kubelet-sync_terminated_pod = { $what }
why-kubelet-can_be_deleted = 它的容器都已停止
why-kubelet-update_lease = { $node } 还活着
why-kubelet-sync_node_status = 它报告 Ready={ $ready }
why-attempt_to_delete-absent_owner = 它的主人 { $absent } 已不在
why-attempt_to_delete-waiting_owner = 它的主人 { $waiting } 正在删除，等着它先走
why-attempt_to_delete-foreground = 它的主人正在删除；它自己的 { $dependents } 个下属先走
why-attempt_to_delete-unblock_owners = 它的下属互相等待
why-attempt_to_delete-remove_references = { $solid } 保留它；已不在的主人被移除
why-process_deleting_dependents-remove_finalizer = 没有下属再挡着它
why-orphan_dependents = 它的主人被删除，而它要留下
why-attempt_to_orphan-remove_finalizer = 它的 { $orphaned } 个下属已经独立
why-sync_namespace-publish_certificate = 这个命名空间还没有根证书
why-sync_namespace-restore_certificate = 它的 { $changed } 被改动了
why-sync_resource_quota = 说明配额 { $quota } 的上限与已用量
why-sync_namespace-create_service_account = 这个命名空间还没有 ServiceAccount { $missing }
why-try_update_node_health-unknown = 它的 lease 已有 { $silent_seconds } 秒没有续约，上限是 { $grace_seconds } 秒
why-process_taint_base_eviction-swap = 它报告 Ready={ $ready }，污点随之改变
why-no_schedule_tainting_pass = 它报告 Ready={ $ready }，污点要与此一致
why-no_execute_tainting_pass = 它报告 Ready={ $ready }：污点 { $taint } 让 Pod 离开
why-mark_node_as_reachable = 它又报告 Ready={ $ready }：去掉污点 { $taint }
why-mark_pods_not_ready = { $node } 没有消息，其上的 Pod 不再算就绪
why-taint_eviction-condition = 它不容忍所在节点的污点 { $taints }，离开之前先写明
why-taint_eviction-delete = 它不容忍所在节点的污点 { $taints }
why-gc_orphaned-mark_failed = 它的节点 { $node } 已经不在了
why-gc_orphaned-delete = 它的节点 { $node } 已经不在了
why-finalize_namespace = 其中已经什么都不剩
why-update_namespace_conditions = 其中还有 { $remaining } 个对象
why-delete_all_content = 命名空间 { $namespace } 正在删除：{ $objects } 个 { $kind } 随之而去

## 事实中的词
fact-container = 容器 { $container } { $what }
fact-has-ended = 已结束
fact-its-deadline-has-passed = 它的期限已过
fact-was-bound-to-this-node = 它被绑定到这个节点
fact-all-its-containers-have-stopped = 它的容器都已停止
fact-is-ready = 已就绪
fact-is-not-ready = 未就绪
fact-has-passed-its-startup-probe = 通过了 startup 探针
fact-has-failed-its-startup-probe = 没有通过 startup 探针
fact-has-failed-its-liveness-probe = 没有通过 liveness 探针
fact-has-started = 已启动
fact-could-not-be-started = 无法启动
