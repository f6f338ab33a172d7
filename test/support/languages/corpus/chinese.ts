/** Sentences of people who talk to assistants and coding agents in Chinese. */
export const chinese = {
  built: `
constraint: 周五绝对不要上线。
constraint: migrations 目录别动，那是别的组负责的。
constraint: 接口响应时间必须控制在200毫秒以内。
constraint: 每次提交之前都要先跑一遍 linter。
constraint: 只能用 package.json 里已有的依赖。
constraint: 日志里绝不能出现客户的邮箱。
constraint: 公开接口不能改。
constraint: 以后提交信息一律用英文写。
none: 我从来不喜欢星期一。
none: 昨晚一定很难熬吧。
none: 你一直用 tab 缩进吗？
none: 在我的笔记本上编译大概要四分钟。
decision: 我们决定用 Postgres，不用 MySQL 了。
decision: 那就用蓝色那版设计吧。
decision: 我们说好隔周的周四碰一次。
decision: 最后还是选了按月付费。
decision: 我决定把会员退掉。
decision: 新的测试就定用 Vitest 了。
none: 名字我们还没定。
none: 用 Redis 还是 Memcached 好？
open: 发布说明还没写。
open: 大表导出的功能还没实现。
open: TODO：把 staging 的存储桶改个名。
open: 登录测试在 Windows 上还是过不了。
open: 三月份的发票还需要核对一下。
done: worker 的内存泄漏已经修好了。
done: 新首页上线完成了。
none: 那个列表挺长的。
date 2024-03-06 = 5 March 2024: 我昨天把毕业论文交了。
date 2024-03-06 = 8 March 2024: 水管工后天过来。
date 2024-03-06 = 1 March 2024: 上周五机房停了一次电。
date 2024-03-06 = the week after 6 March 2024: 我爸妈下周来看我们。
date 2024-05-20 = 17 May 2024: 合同是三天前签的。
date 2024-05-20 = June 2024: 课程下个月开始。
date 2024-11-09 = 2022: 我两年前搬到了厦门。
recall: 备用钥匙放在哪里？ => 备用钥匙挂在地下室水表后面。
recall: 画室的房租是多少？ => 画室每个月要付3200元租金。
recall: 测试环境的数据库用哪个端口？ => 测试数据库监听的是5544端口。
recall: 李婷的火车几点到？ => 李婷18点42分到九站台。
recall: 我对什么过敏？ => 我吃核桃会过敏，所以不要放核桃。
recall: 暖气是谁来修的？ => 每年秋天都是王师傅来检修暖气。
recall: 为什么把消息队列去掉了？ => RabbitMQ 去掉了，因为夜里没人会维护这个队列。
idle: 你好！
idle: 谢谢！
idle: 好的，继续
idle: 可以，开始吧。
idle: 早上好，最近怎么样？
idle: 听起来不错。
idle: 明天见！`,
  heldOut: `
constraint: 千万别直接推到 main 分支。
constraint: orders 表的列名一个都不许改。
constraint: 请确保每个接口都要登录才能访问。
constraint: 预算不能超过3000元。
constraint: 新模块里不要用全局变量。
constraint: 禁止加载外部字体。
constraint: 报告里永远不要出现客户名字。
constraint: 旧的链接必须保留。
none: 这附近应该有更好的面包店。
none: 我不知道风扇为什么这么吵。
none: 我妹妹总是星期天打电话来。
none: 那个错别字不要紧。
decision: 商量之后我们选了小一点的场地。
decision: 行，就按方案B来。
decision: 双方谈好了，价格是1200元。
decision: 上线就用功能开关来控制吧。
decision: 我打算用 Rust 重写解析器，已经决定了。
decision: 团队决定把发布推迟到六月。
none: 我不确定这个我们有没有决定过。
none: 现在谁都还没有决定。
open: 帮助页面的翻译还没做。
open: 下一步是接入支付渠道。
open: 还得给房东打个电话。
open: 重试逻辑还没写完。
open: 证书还没续期。
done: 所有的表都已经迁移到新集群了。
done: 没用的样式表删掉了。
none: 她的讲座对所有人开放。
date 2024-03-06 = 7 March 2024: 我明天约了牙医。
date 2024-03-06 = 4 March 2024: 前天我的自行车被偷了。
date 2024-03-06 = the week before 6 March 2024: 上周我们测试了新的传感器。
date 2024-03-06 = 11 March 2024: 工作坊在下周一。
date 2024-05-20 = around 6 May 2024: 两周前打印机坏了。
date 2024-05-20 = April 2024: 上个月我们把屋顶修好了。
date 2024-11-09 = 2025: 明年小宝就高中毕业了。
recall: 新来的会计叫什么名字？ => 我们的新会计叫陈丽萍。
recall: 一共订了多少把椅子？ => 聚会用的折叠椅我订了36把。
recall: 热修复在哪个分支上？ => 热修复在 release-2.8 分支，不在 main。
recall: 合唱团在哪儿排练？ => 合唱团在老消防站里排练。
recall: 报税截止到什么时候？ => 税务局要求6月30日前完成报税。
recall: 浴室打算刷成什么颜色？ => 浴室的样板我们刷了灰绿色。
recall: 谁知道路由器的密码？ => 路由器密码是小江改的，他记在本子上了。
idle: 你好呀
idle: 多谢！
idle: 嗯，请继续
idle: 很好，接着做。
idle: 晚上好
idle: 好的
idle: 再见！`,
};
