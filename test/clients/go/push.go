package main

import (
	"slices"

	"github.com/a2aproject/a2a-go/v2/a2a"
)

// push registers two webhooks for a task that waits, takes one away again, and lets the task end.
func (c *conversation) push() (seen, error) {
	task, err := c.send("ask")
	if err != nil {
		return nil, err
	}
	config := &a2a.PushConfig{TaskID: task.ID, ID: "kept", URL: c.webhook, Token: "secret"}
	created, err := c.client.CreateTaskPushConfig(c.ctx, config)
	if err != nil {
		return nil, err
	}
	if _, err := c.client.CreateTaskPushConfig(c.ctx, &a2a.PushConfig{TaskID: task.ID, ID: "gone", URL: c.webhook}); err != nil {
		return nil, err
	}
	got, err := c.client.GetTaskPushConfig(c.ctx, &a2a.GetTaskPushConfigRequest{TaskID: task.ID, ID: "kept"})
	if err != nil {
		return nil, err
	}
	both, err := c.configs(task.ID)
	if err != nil {
		return nil, err
	}
	remove := &a2a.DeleteTaskPushConfigRequest{TaskID: task.ID, ID: "gone"}
	if err := c.client.DeleteTaskPushConfig(c.ctx, remove); err != nil {
		return nil, err
	}
	one, err := c.configs(task.ID)
	if err != nil {
		return nil, err
	}
	_, err = c.send("forty-two", about(task.ID))
	return seen{
		"created": created.ID, "url": got.URL, "token": got.Token, "both": both, "one": one, "taskId": task.ID,
	}, err
}

func (c *conversation) configs(id a2a.TaskID) ([]string, error) {
	found, err := c.client.ListTaskPushConfigs(c.ctx, &a2a.ListTaskPushConfigRequest{TaskID: id})
	ids := []string{}
	for _, config := range found {
		ids = append(ids, config.ID)
	}
	slices.Sort(ids)
	return ids, err
}
