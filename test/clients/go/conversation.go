package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"

	"github.com/a2aproject/a2a-go/v2/a2a"
	"github.com/a2aproject/a2a-go/v2/a2aclient"
)

var (
	file    = bytes.Repeat(allBytes(), 4096)
	list    = []any{1.0, []any{nil, "two"}}
	objects = []any{map[string]any{"list": list}, map[string]any{"deep": []any{map[string]any{"null": nil}}}}
	data    = append(objects, list, "text", 0.5, false)
)

// conversation has the steps, which go in any order: each has tasks of its own.
type conversation struct {
	ctx           context.Context
	agent         *a2a.AgentCard
	client, other *a2aclient.Client
	webhook       string
}

type seen = map[string]any

func (c *conversation) steps() map[string]func() (seen, error) {
	return map[string]func() (seen, error){
		"card": c.card, "blocking": c.blocking, "immediately": c.immediately, "streaming": c.streaming,
		"direct": c.direct, "question": c.question, "cancel": c.cancel, "history": c.history, "list": c.list,
		"subscribe": c.subscribe, "data": c.data, "file": c.file, "nothing": c.nothing, "endings": c.endings, "errors": c.errors, "push": c.push,
	}
}

func (c *conversation) card() (seen, error) {
	interfaces := []string{}
	for _, each := range c.agent.SupportedInterfaces {
		interfaces = append(interfaces, fmt.Sprintf("%s %s", each.ProtocolBinding, each.ProtocolVersion))
	}
	return seen{"name": c.agent.Name, "streaming": c.agent.Capabilities.Streaming, "interfaces": interfaces}, nil
}

func (c *conversation) blocking() (seen, error) {
	task, err := c.send("hello")
	return outcome(task), err
}

func (c *conversation) immediately() (seen, error) {
	task, err := c.begin("wait 60000")
	return seen{"state": stateOf(task)}, err
}

func (c *conversation) streaming() (seen, error) {
	return follow(c.stream("tokens 5 20"))
}

func (c *conversation) direct() (seen, error) {
	answer, err := c.client.SendMessage(c.ctx, &a2a.SendMessageRequest{Message: spoken("message")})
	if err != nil {
		return nil, err
	}
	message, ok := answer.(*a2a.Message)
	if !ok {
		return nil, fmt.Errorf("a %T came", answer)
	}
	streamed, err := follow(c.stream("message"))
	return seen{"text": textOf(message.Parts), "streamed": streamed["text"]}, err
}

func (c *conversation) question() (seen, error) {
	asked, err := c.send("ask")
	if err != nil {
		return nil, err
	}
	answered, err := c.send("forty-two", about(asked.ID))
	if err != nil {
		return nil, err
	}
	streamed, err := follow(c.stream("ask"))
	if err != nil {
		return nil, err
	}
	id, _ := streamed["id"].(a2a.TaskID)
	replied, err := follow(c.stream("streamed", about(id)))
	return seen{
		"asked":           stateOf(asked),
		"question":        textOf(asked.Status.Message.Parts),
		"answered":        outcome(answered),
		"sameTask":        answered.ID == asked.ID,
		"streamed":        streamed["last"],
		"repliedByStream": replied["last"],
	}, err
}

func (c *conversation) cancel() (seen, error) {
	running, err := c.begin("wait 60000")
	if err != nil {
		return nil, err
	}
	canceled, err := c.client.CancelTask(c.ctx, &a2a.CancelTaskRequest{ID: running.ID})
	if err != nil {
		return nil, err
	}
	read, err := c.get(running.ID, nil)
	return seen{"state": stateOf(canceled), "read": stateOf(read)}, err
}

func (c *conversation) history() (seen, error) {
	asked, err := c.send("ask")
	if err != nil {
		return nil, err
	}
	if _, err := c.send("enough", about(asked.ID)); err != nil {
		return nil, err
	}
	zero, one := 0, 1
	shown := seen{}
	for name, length := range map[string]*int{"all": nil, "none": &zero, "newest": &one} {
		task, err := c.get(asked.ID, length)
		if err != nil {
			return nil, err
		}
		said := []string{}
		for _, message := range task.History {
			said = append(said, textOf(message.Parts))
		}
		shown[name] = said
	}
	return shown, nil
}

func (c *conversation) subscribe() (seen, error) {
	running, err := c.begin("tokens 20 50")
	if err != nil {
		return nil, err
	}
	followed, err := follow(c.other.SubscribeToTask(c.ctx, &a2a.SubscribeToTaskRequest{ID: running.ID}))
	if err != nil {
		return nil, err
	}
	read, err := c.get(running.ID, nil)
	followed["read"] = outcome(read)
	return followed, err
}

func (c *conversation) data() (seen, error) {
	parts := []*a2a.Part{}
	for _, value := range data {
		parts = append(parts, a2a.NewDataPart(value))
	}
	task, err := c.send("echo", with(parts...))
	if err != nil {
		return nil, err
	}
	back := []any{}
	for _, part := range task.Artifacts[0].Parts[1:] {
		back = append(back, part.Data())
	}
	return seen{"back": back}, nil
}

func (c *conversation) file() (seen, error) {
	part := a2a.NewRawPart(file)
	part.Filename, part.MediaType = "file.bin", "application/octet-stream"
	task, err := c.send("echo", with(part))
	if err != nil {
		return nil, err
	}
	back := task.Artifacts[0].Parts[1]
	sum := hex.EncodeToString(sha256Of(back.Raw()))
	same := bytes.Equal(back.Raw(), file)
	return seen{"name": back.Filename, "type": back.MediaType, "same": same, "sha256": sum}, nil
}

func (c *conversation) nothing() (seen, error) {
	task, err := c.send("echo", with(a2a.NewDataPart(nil)))
	if err != nil {
		return nil, err
	}
	return seen{"data": task.Artifacts[0].Parts[1].Data()}, nil
}

func (c *conversation) endings() (seen, error) {
	shown := seen{}
	for _, words := range []string{"fail", "reject"} {
		task, err := c.send(words)
		if err != nil {
			return nil, err
		}
		shown[words] = stateOf(task)
	}
	return shown, nil
}

func allBytes() []byte {
	all := make([]byte, 256)
	for i := range all {
		all[i] = byte(i)
	}
	return all
}

func sha256Of(raw []byte) []byte {
	sum := sha256.Sum256(raw)
	return sum[:]
}
